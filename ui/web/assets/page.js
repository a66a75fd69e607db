// Keeps the page live. Everything it does for answering works without it.
//
// The server renders: this script asks it for the same pages that a browser without
// scripts gets, and puts the entries of their list and their card in place. It keeps no
// answers but those in the form. A form that the human is filling in is never replaced:
// only the parts of its card with data-part are renewed.
'use strict';

const $ = (id) => document.getElementById(id);
const list = $('list'), pane = $('pane'), news = $('news'), trouble = $('trouble'), past = $('past'), help = $('keys'), notify = $('notify');
const texts = JSON.parse($('texts').textContent); // what this script says, in the language of the page

// load requests a page, with a form if there is one to send, and returns its status, 0 if it
// did not arrive, and its document.
async function load(url, body) {
  const res = await fetch(url, { method: body ? 'POST' : 'GET', body, headers: { 'X-Fragment': '1' }, cache: 'no-store' }).catch(() => null);
  const text = await res?.text().catch(() => null) ?? null;
  return { ok: text !== null && res.ok, status: text === null ? 0 : res.status, page: new DOMParser().parseFromString(text ?? '', 'text/html') };
}

const fields = (form, button) => new URLSearchParams(new FormData(form, button));
const entry = (id) => list.querySelector(`[data-id="${id}"]`);
const stillWaits = (li) => li && li.isConnected && !li.matches('.gone');
const current = () => pane.querySelector('.card');
const formIn = (card) => card?.querySelector('form[action="/answer"]');
const openForm = () => formIn(pane.querySelector('.card:not(.gone, .ended)'));
const wide = matchMedia('(min-width: 48rem)');
const listed = () => document.body.dataset.view === 'list' && !wide.matches; // the list alone is in sight

// ---- Drafts

// Drafts go to the server a moment after the last change: other surfaces offer them, a
// crash does not lose them, and a timeout starts anew. A draft that does not arrive (0)
// is sent again with the next update.
const drafts = new Map(); // the timer of each form
const key = (form) => 'askuser:' + form.elements.id.value;

// keep stores a form for a reload, and which draft of the server it is; null while the
// server does not have it.
function keep(form, draft) {
  const held = fields(form);
  held.delete('csrf');
  try { sessionStorage[key(form)] = JSON.stringify([draft, String(held)]); } catch { /* storage is full or switched off: the page still works */ }
}

function forget(form) {
  clearTimeout(drafts.get(form));
  drafts.delete(form);
  delete form.dataset.begun;
  try { sessionStorage.removeItem(key(form)); } catch { /* as above */ }
}

// restore fills a form in as it was kept, unless the server has a newer draft.
function restore(form) {
  let draft, held;
  try { [draft, held] = JSON.parse(sessionStorage.getItem(key(form))) ?? []; } catch { /* as above */ }
  if (!held || draft !== null && draft !== form.dataset.draft) return;
  form.dataset.begun = '';
  if (draft === null) drafts.set(form, 0);
  held = new URLSearchParams(held);
  for (const el of form.elements) {
    if (el.type === 'radio' || el.type === 'checkbox') el.checked = held.getAll(el.name).includes(el.value);
    else if (el.tagName === 'TEXTAREA') el.value = held.get(el.name) ?? '';
  }
  for (const el of form.querySelectorAll('details:has(textarea:not(:placeholder-shown))')) el.open = true;
}

async function sendDraft(form) {
  clearTimeout(drafts.get(form));
  if (!drafts.delete(form)) return;
  const body = fields(form), keepalive = String(body).length < 60000; // a browser lets no more outlive the page
  const res = await fetch('/draft', { method: 'POST', body, keepalive }).catch(() => null);
  if (drafts.has(form)) return;
  if (!res?.ok) {
    if (form.isConnected) drafts.set(form, 0);
    return;
  }
  form.dataset.draft = res.headers.get('X-Draft');
  if ('begun' in form.dataset) keep(form, form.dataset.draft);
}

const sendDrafts = () => [...drafts.keys()].forEach(sendDraft);
addEventListener('pagehide', sendDrafts);

pane.addEventListener('input', ({ target: { form, name, type } }) => {
  if (!form?.matches('[action="/answer"]')) return;
  form.dataset.begun = '';
  if (name !== 'also') {
    clearTimeout(drafts.get(form));
    drafts.set(form, setTimeout(() => sendDraft(form), type === 'textarea' ? 500 : 50));
  }
  keep(form, drafts.has(form) ? null : form.dataset.draft);
});

// ---- Keys

const main = (form) => form.querySelector('button.main');

// own lists a question's controls, without those of its note and its follow-ups.
const own = (field) => [...field.querySelectorAll(':is(input, textarea):not(.note *)')].filter((el) => el.closest('fieldset') === field);
const answered = (field) => own(field).some((el) => el.matches(':checked:not([value=""], [value="other"]), textarea:not(:placeholder-shown)') && el.checkVisibility());
const questions = (form) => [...form.querySelectorAll('fieldset.field')].filter((field) => field.checkVisibility());

// lead focuses the first control of a question.
function lead(field) {
  (field?.querySelector('input, textarea') ?? field)?.focus();
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event, command = event.ctrlKey || event.metaKey, form = openForm();
  if (event.defaultPrevented || event.altKey || event.isComposing || document.querySelector('dialog[open]')) return;
  if (key === 'Enter') {
    if (!form || !command && target.matches('textarea, a, button, summary')) return;
    event.preventDefault();
    if (command) form.requestSubmit(target.closest('.way[open]')?.querySelector('button') ?? main(form));
    else goOn(form);
  } else if (target.matches('textarea')) {
    if (key === 'Escape') current()?.focus();
  } else if (command) {
    return;
  } else if (key === 'j' || key === 'k') {
    const all = [...list.children].filter(stillWaits), next = all[all.indexOf(entry(current()?.dataset.id)) + (key === 'j' ? 1 : -1)];
    if (next) show(next.dataset.id);
  } else if (key === '?') {
    help.showModal();
  } else if (key === 't') {
    pane.querySelector('[data-take]')?.click();
  } else if (form && choose(form, key)) {
    event.preventDefault();
  }
});

// goOn leads to the next question without an answer, and sends when there is none, or
// only such that may be left open and come before.
function goOn(form) {
  const all = questions(form), here = all.indexOf(document.activeElement.closest('fieldset.field'));
  const next = all.slice(here + 1).find((f) => !answered(f)) ??
    all.find((f) => !answered(f) && !f.querySelector(':scope > legend .need'));
  if (!next) form.requestSubmit(main(form));
  else if (next !== all[here]) lead(next);
}

// choose takes the option of a key, in the question with the focus or else the first
// without an answer.
function choose(form, key) {
  const all = questions(form);
  const field = document.activeElement.closest('fieldset.field') ?? all.find((f) => !answered(f)) ?? all[0];
  const options = field ? own(field).filter((el) => el.dataset.cap) : [];
  const input = options.find((el) => el.dataset.cap === key.toUpperCase()) ?? options[key - 1];
  input?.click();
  if (input?.value === 'other' && input.checked) input.closest('.option').querySelector('.own').focus();
  else input?.focus();
  return input;
}

// take fills in what was answered to a question before.
function take({ dataset, form, parentElement }) {
  const field = parentElement.closest('fieldset');
  for (const el of own(field)) {
    if (el.tagName === 'TEXTAREA') el.value = dataset.text;
    else el.checked = el.name[0] === 'q' && dataset.take.split(' ').includes(el.value);
  }
  form.elements.id.dispatchEvent(new Event('input', { bubbles: true }));
  lead(field);
}

pane.addEventListener('change', ({ target }) => {
  if (target.matches('[type="checkbox"][value="other"]:checked')) target.closest('.option').querySelector('.own').focus();
});

// What opens below the screen is brought into it.
pane.addEventListener('toggle', ({ target }) => {
  if (target.matches('.way[open]')) scrolling(() => target.scrollIntoView({ block: 'nearest' }));
}, true);

// ---- Sending

// Answers of which the human has not heard the end, by id: with the button that sent them
// where the server's response was lost, null where they are kept but not sent yet.
const untold = new Map();

document.addEventListener('submit', (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.matches('[role="search"]')) look('/history?' + fields(form));
  else if (form.matches('[data-lift]')) lift(form);
  else if (form.matches('[data-again]')) again(form);
  else if (event.submitter?.name) send(event.submitter);
});

async function lift(form) {
  const { ok, page } = await load('/lift', fields(form));
  if (!ok) return say(why(page), true);
  tell(...page.querySelectorAll('.notice'));
  lend(form.closest('.card') ?? $('count'));
  reconcile();
}

async function again(form) {
  const { ok, page } = await load('/reopen', fields(form));
  past.close();
  if (!ok) return say(why(page), true);
  put(page);
  reconcile();
}

// why says why the server did not do it.
const why = (page) => [...page.querySelectorAll('#none > p:first-of-type, #none > pre')].map((el) => el.textContent).join(' ') || texts.unreached;

async function send(button) {
  const { form } = button, { id } = form.elements, card = form.closest('.card');
  if (form.ariaBusy) return;
  form.ariaBusy = true;
  const { ok, status, page } = await load('/answer', fields(form, button));
  form.ariaBusy = null;
  const heard = status > 0 && status < 500, lost = !heard && !untold.has(id.value);
  if (heard) untold.delete(id.value);
  else untold.set(id.value, button);
  const fresh = page.querySelector('.card'), ended = fresh?.matches('.ended'), notices = [...page.querySelectorAll('.notice')];
  if (ok || ended) forget(form);
  if (ok) tell(...notices);
  if (ok && form.isConnected) {
    goOnFrom(card, '', ...notices.map((x) => x.dataset.id).filter((x) => !untold.has(x)));
  } else if (!ok && !form.isConnected) { // the human has gone on to another question
    if (ended) say(fresh.dataset.said, true);
    else say(fresh?.querySelector('.refused').textContent ?? texts.unsent.replace('%s', () => why(page)), true);
  } else if (ended) {
    end(card, fresh);
  } else if (fresh) {
    card.replaceWith(fresh);
    ready(fresh);
    lend(fresh.querySelector('.refused a') ?? fresh, true);
  } else if (!ok) {
    const p = Object.assign(document.createElement('p'), { textContent: texts.unsent.replace('%s', () => why(page)) });
    form.querySelector('.refused').replaceChildren(p);
    if (p.getBoundingClientRect().top < document.querySelector('.bar').offsetHeight) say(p.textContent, true); // it is out of sight
  }
  if (ok || lost) reconcile();
}

// goOnFrom dims a card, takes entries out of the list, and goes on with the next question,
// unless the human has gone to the list, where there still is one.
function goOnFrom(card, fate, ...ended) {
  const next = nextTo(card);
  for (const id of ended) fade(entry(id));
  dim(card, fate);
  calm(card, () => {
    const id = stillWaits(next) ? next.dataset.id : '';
    if (card.isConnected && !(listed() && id)) show(id, { push: false, lent: true });
  });
}

// nextTo is the entry after that of a card which still waits, else the one before.
function nextTo({ dataset: { id } }) {
  const all = [...list.children], at = all.indexOf(entry(id));
  return all.slice(at + 1).find(stillWaits) ?? all.slice(0, Math.max(at, 0)).findLast(stillWaits);
}

// dim takes a card out of use. It stays where it is.
function dim(card, fate) {
  card.inert = true;
  card.classList.add('gone');
  card.dataset.fate = fate;
}

// fade takes an entry out of the list, once no pointer is in the way.
function fade(li) {
  if (!stillWaits(li)) return;
  li.inert = true;
  li.classList.add('gone');
  calm(li, () => li.remove());
}

// end puts what became of a record in the place of its card, with the form that was not
// sent, if there is one.
function end(card, ended, form) {
  fade(entry(card.dataset.id));
  dim(card, ended.querySelector('.fate strong').textContent);
  calm(card, () => {
    if (!card.isConnected) return;
    for (const el of form?.elements ?? []) el.disabled ||= el.type !== 'hidden';
    if (form) {
      const box = document.createElement('details');
      box.append(Object.assign(document.createElement('summary'), { textContent: texts.own }), form);
      ended.querySelector('.ending').append(box);
    }
    card.replaceWith(ended);
    if (document.activeElement === document.body) lend(ended);
  });
}

// tell shows notices, which go by themselves.
let toast = 0;

function tell(...notices) {
  for (const el of notices) if (el.matches('.unsent')) untold.set(el.dataset.id, null);
  news.replaceChildren(...notices);
  clearTimeout(toast);
  toast = setTimeout(() => news.replaceChildren(), 10000);
}

function say(words, late = false) {
  tell(Object.assign(document.createElement('p'), { className: late ? 'notice late' : 'notice', textContent: words }));
}

// ---- Showing

let asked = 0; // the latest question that was asked for

// show puts the question with an id into the pane; the first for none.
async function show(id, how = {}) {
  const turn = ++asked, form = openForm();
  if (id && form?.elements.id.value === id) {
    if (listed() && how.push !== null) history.pushState(null, '', '/?id=' + id);
    return goTo(current(), how);
  }
  const page = await update(id);
  if (page && turn === asked) put(page, how);
}

function put(page, how = {}) {
  const fresh = page.querySelector('#pane').firstElementChild, { id = '' } = fresh.dataset, { push = true } = how;
  sendDrafts();
  pane.replaceChildren(fresh);
  for (const a of list.querySelectorAll('[aria-current]')) a.removeAttribute('aria-current');
  entry(id)?.firstElementChild.setAttribute('aria-current', 'true');
  entry(id)?.scrollIntoView({ block: 'nearest' });
  if (push !== null) history[push ? 'pushState' : 'replaceState'](null, '', id ? '/?id=' + id : '/');
  scrollTo(0, 0);
  ready(fresh);
  goTo(fresh, how);
}

// goTo leads into a card, as far as the human asked for it.
function goTo(card, { push = true, lent = false, control = false }) {
  const { id } = card.dataset, field = control && card.querySelector('fieldset.field');
  document.body.dataset.view = id ? 'one' : 'list';
  if (field) lead(field);
  else if (lent) lend(id ? card : $('count'), true);
  else if (push) card.focus();
}

addEventListener('popstate', () => {
  const id = new URLSearchParams(location.search).get('id');
  if (id === null && !wide.matches) document.body.dataset.view = 'list';
  else show(id ?? '', { push: null });
});

// ready prepares a card for this script.
function ready(card) {
  const form = formIn(card), { id } = card.dataset;
  if (!form) return;
  if ('unsent' in card.dataset) untold.set(id, null);
  else if (untold.get(id)) untold.set(id, form.querySelector(`[value="${untold.get(id).value}"]`));
  form.noValidate = true; // the server says what is missing, beside the question
  restore(form);
  for (const el of card.querySelectorAll('.previews > .option > .preview')) el.open ||= innerWidth >= 1024;
  ages();
}

// ---- Live updates

// update asks for the page with the question with an id, and for what became of those in
// untold that are not in sight. One whose response was lost is sent again when it has
// ended: the new response tells.
async function update(id) {
  const query = new URLSearchParams(), sight = openForm()?.elements.id.value;
  for (const x of untold.keys()) if (x !== sight) query.append('ended', x);
  query.append('id', id);
  const { ok, status, page } = await load('/?' + query);
  if (!ok && status) {
    trouble.textContent = status === 401 ? texts.ended : texts.failed;
    trouble.hidden = false;
  }
  if (!ok) return null;
  for (const el of document.querySelectorAll('[name=csrf]')) el.value = page.querySelector('#list').dataset.csrf;
  const notices = [...page.querySelectorAll('.notice')].filter(({ dataset: { id } }) => {
    const button = untold.get(id);
    if (button) send(button);
    else untold.delete(id);
    return !button;
  });
  if (notices.length) tell(...notices);
  return page;
}

// once runs a job one at a time, and once more if it was wanted meanwhile.
function once(job) {
  let running = false, wanted = false;
  return async () => {
    wanted = true;
    if (running) return;
    running = true;
    while (wanted) {
      await new Promise((done) => setTimeout(done, 20)); // what happens together is asked for together
      wanted = false;
      await job().catch(() => {});
    }
    running = false;
  };
}

const reconcile = once(async () => {
  const card = current(), page = await update(card?.dataset.id ?? '');
  if (!page) return;
  for (const [form, timer] of drafts) if (!timer) sendDraft(form);
  relist(page);
  const fresh = page.querySelector('.card');
  if (!card && !current() && fresh) put(page, { push: false, lent: document.activeElement === document.body });
  else if (card?.isConnected && fresh?.dataset.id === card.dataset.id) recard(card, fresh);
  ages();
});

function relist(page) {
  const fresh = page.querySelector('#list'), known = list.dataset.last;
  for (const li of list.children) if (!fresh.querySelector(`[data-id="${li.dataset.id}"]`)) fade(li);
  for (const li of [...fresh.children]) {
    const { id } = li.dataset, old = entry(id);
    if (old) renew(old.querySelector('.facts'), li.querySelector('.facts'));
    else arrive(li);
    if (id > known && !old) announce(li);
  }
  if (fresh.dataset.last > known) list.dataset.last = fresh.dataset.last;
  renew($('more'), page.querySelector('#more'));
  if (document.title === page.title) return;
  document.title = page.title;
  $('count').textContent = page.getElementById('count').textContent;
  document.querySelector('link[rel=icon]').href = page.querySelector('link[rel=icon]').href;
}

function renew(old, fresh) {
  if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

function arrive(li) {
  const after = [...list.children].find((x) => x.dataset.id > li.dataset.id);
  const place = () => { if (!entry(li.dataset.id)) list.insertBefore(li, after?.isConnected ? after : null); };
  li.classList.add('new');
  if (after) calm(after, place);
  else place();
}

// announce tells the human that something new waits.
function announce({ dataset, textContent }) {
  say(dataset.news);
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const note = new Notification(dataset.asks, { body: textContent.split('\n')[0].trim(), tag: dataset.id, icon: '/favicon.svg' });
  note.onclick = () => { focus(); show(dataset.id); note.close(); };
}

// recard brings a card up to date. A form that nothing was filled into here takes what was
// filled in elsewhere.
function recard(card, fresh) {
  const form = formIn(card), { id } = card.dataset;
  if (fresh.matches('.ended')) return leave(card, fresh);
  if ('unsent' in fresh.dataset) untold.set(id, null); // what ends it then is that answer
  const elsewhere = form && !card.inert && !('begun' in form.dataset) && !form.contains(document.activeElement) && form.dataset.draft !== formIn(fresh).dataset.draft;
  if (elsewhere && !inTheWay(card)) {
    const focused = card === document.activeElement;
    card.replaceWith(fresh);
    ready(fresh);
    if (focused) lend(fresh);
    return;
  }
  for (const part of card.querySelectorAll('[data-part]')) exchange(card, part, fresh.querySelector(`[data-part="${part.dataset.part}"]`));
  if (elsewhere) calm(card, reconcile);
}

// exchange renews a part of a card, which keeps its height until no pointer is in the way.
function exchange(card, part, fresh) {
  if (!fresh || part.innerHTML === fresh.innerHTML || part.contains(document.activeElement)) return;
  for (const el of part.querySelectorAll(':checked')) fresh.querySelector(`[value="${el.value}"]`)?.click();
  fresh.style.height = part.offsetHeight + 'px';
  part.replaceWith(fresh);
  calm(card, () => fresh.removeAttribute('style'));
}

// leave takes away a card whose record has ended, unless the human is at it, who then
// reads what ended it, and keeps what they have written. An answer that waited to be sent
// was theirs, unless it came too late.
function leave(card, ended) {
  const form = formIn(card), { id } = card.dataset;
  if (card.matches('.ended, .gone') || form.ariaBusy) return; // its own response tells
  if (untold.get(id)) return send(untold.get(id));
  const late = !untold.delete(id) || 'late' in ended.dataset, kept = late && 'begun' in form.dataset;
  say(ended.dataset.said, late);
  forget(form);
  if (kept || card.querySelector(':focus')) end(card, ended, kept && form);
  else goOnFrom(card, ended.querySelector('.fate strong').textContent);
}

// A browser keeps few connections to one server. So one of its tabs listens and tells the
// others.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = (event) => hear(event.data);

function hear(event) {
  const lost = event === 'trouble';
  if (lost && !trouble.hidden) return;
  if (lost) trouble.textContent = texts.lost;
  trouble.hidden = !lost;
  document.documentElement.dataset.live = lost ? 'no' : 'yes';
  if (event.later && !untold.has(event.id)) untold.set(event.id, null);
  reconcile(); // which tells why, where the server does
}

function listen() {
  const source = new EventSource('/api/events');
  const pass = (event) => { hear(event); tabs.postMessage(event); };
  source.onopen = () => pass('connected');
  source.onerror = () => {
    pass('trouble');
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  };
  for (const type of ['request', 'response', 'cancel', 'change']) {
    source.addEventListener('ask:question:' + type, ({ data }) => {
      const { id, later } = JSON.parse(data);
      pass({ id, later });
    });
  }
}

// A device that slept, or a page that was kept aside, has missed something.
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') reconcile(); });
addEventListener('pageshow', ({ persisted }) => { if (persisted) reconcile(); });

// ---- What else the page shows

// in returns the function that puts a time in words after examples of words.Ago or
// words.Left: one for less than each limit, counted in a unit. All are in ms.
const inWords = (round, limits, units, examples) => (ms) => {
  const i = limits.findIndex((limit) => ms < limit);
  return examples[i].replace(/\d+/, round(ms / units[i]));
};
const min = 60_000, hour = 60 * min, day = 24 * hour;
const away = inWords(Math.floor, [min, hour, 2 * day, Infinity], [1, min, hour, day], texts.ages);
const left = inWords(Math.ceil, [1, min + 1, hour + 1, Infinity], [1, 1000, min, hour], texts.lefts);

function ages() {
  for (const el of document.querySelectorAll('time[data-ago], time[data-left]')) {
    const ms = Date.parse(el.dateTime) - Date.now(), text = 'ago' in el.dataset ? away(-ms) : left(ms);
    if (el.textContent !== text) el.textContent = text;
    if ('left' in el.dataset) el.parentElement.classList.toggle('soon', ms < 20_000);
  }
}

setInterval(ages, 1000);

// Notifications, for those who ask for them.
function offer() {
  notify.hidden = !('Notification' in window) || Notification.permission !== 'default';
}

notify.addEventListener('click', () => Notification.requestPermission().then(offer));
$('help').addEventListener('click', () => help.showModal());

// Links lead to pages of their own; with this script they open in this one, so that no
// form is left for them.
document.addEventListener('click', (event) => {
  const at = event.target.closest('#list a, .back, [data-take], [data-history], [data-remove], [data-close], #past a[href^="/history"], .refused a');
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if ('close' in at.dataset) at.closest('dialog').close();
  else if ('remove' in at.dataset) show(nextTo(current())?.dataset.id ?? '', { push: false, lent: true });
  else if ('take' in at.dataset) take(at);
  else if (at.matches('.back')) toList();
  else if (at.closest('.refused')) lead($(at.hash.slice(1)));
  else if (at.closest('#list')) show(at.closest('li').dataset.id, { control: wide.matches });
  else look(at.href);
});

function toList() {
  sendDrafts();
  history.pushState(null, '', '/?list');
  document.body.dataset.view = 'list';
  $('count').focus();
}

async function look(url) {
  const { ok, page } = await load(url);
  if (!ok) return say(why(page), true);
  past.querySelector('div').replaceChildren(...page.querySelector('main').childNodes);
  if (!past.open) past.showModal();
  past.querySelector('input[type=search]').focus();
}

if (current()) ready(current());
offer();
ages();
if (navigator.locks) navigator.locks.request('askuser', () => { listen(); return new Promise(() => {}); });
else listen();
reconcile();
navigator.serviceWorker?.register('/sw.js').catch(() => {});
