// Keeps the page live. Everything it does for answering works without it.
//
// The server renders; this script only places what it renders: entries in the
// list, and one card in the pane. A card with a form that somebody is filling in
// is never replaced: its head and what it says about alike questions change,
// its fields do not.
'use strict';

const $ = (id) => document.getElementById(id);
const list = $('list'), pane = $('pane'), news = $('news'), trouble = $('trouble'), past = $('past'), help = $('keys'), notify = $('notify');

// The texts of this script, in the language of the page, and how their places
// are filled in.
const texts = JSON.parse($('texts').textContent);
const fill = (text, ...args) => text.replace(/%(?:\[(\d)\])?[sd]/g, (_, n = 1) => args[n - 1]);

const fragment = (url, options = {}) =>
  fetch(url, { ...options, headers: { 'X-Fragment': '1' }, cache: 'no-store' }).catch(() => null);
const post = (url, form, button) => fragment(url, { method: 'POST', body: new URLSearchParams(new FormData(form, button)) });
const parse = (html) => new DOMParser().parseFromString(html, 'text/html').body;

const entry = (id) => list.querySelector(`[data-id="${id}"]`);
const current = () => pane.querySelector('.card');
const openForm = () => pane.querySelector('.card:not(.gone) > form[action="/answer"]');
const wide = matchMedia('(min-width: 48rem)');
const listed = () => document.body.dataset.view === 'list' && !wide.matches; // the list alone is in sight

// ---- What a form holds

// filled lists the fields of a form that say something.
function filled(form) {
  return [...new FormData(form)].filter(([name, value]) => value !== '' && form.elements[name]?.type !== 'hidden');
}

const key = (form) => 'askuser:' + form.elements.id.value;

// keep stores a half-filled form, so that a reload does not lose it, and which draft
// of the server it is; none while that has something to come. Once that got it, only
// what was sent is kept anew.
function keep(form, sent) {
  const as = (draft) => JSON.stringify([draft, filled(form)]);
  try {
    if (!sent || sessionStorage[key(form)] === as(null)) sessionStorage[key(form)] = as(drafts.has(form) ? null : form.dataset.draft);
  } catch { /* storage is full or switched off: the page still works */ }
}

function forget(form) {
  clearTimeout(drafts.get(form));
  drafts.delete(form);
  try { sessionStorage.removeItem(key(form)); } catch { /* as above */ }
}

const begun = new WeakSet(); // the forms in which somebody has filled in something here

// restore fills a form in as it was kept, unless the server has a newer draft.
function restore(form) {
  let draft, kept;
  try { [draft, kept] = JSON.parse(sessionStorage.getItem(key(form))) ?? []; } catch { /* as above */ }
  if (!kept || draft !== null && draft !== form.dataset.draft) return;
  begun.add(form);
  if (draft === null) drafts.set(form, 0);
  const has = (name, value) => kept.some(([n, v]) => n === name && v === value);
  for (const el of form.elements) {
    if (!el.name || el.type === 'hidden' || el.type === 'submit') continue;
    if (el.type === 'radio' && !kept.some(([n]) => n === el.name)) continue;
    if (el.type === 'radio' || el.type === 'checkbox') el.checked = has(el.name, el.value);
    else el.value = kept.find(([n]) => n === el.name)?.[1] ?? '';
  }
  for (const el of form.querySelectorAll('details:has(textarea)')) {
    if (el.querySelector('textarea').value) el.open = true;
  }
}

// progress says how many of the questions that are asked have an answer.
function progress(form) {
  const fields = questions(form);
  const out = form.querySelector('[data-progress]');
  out.hidden = fields.length < 2;
  out.textContent = fill(texts.progress, fields.filter(answered).length, fields.length);
}

const questions = (form) => [...form.querySelectorAll('fieldset.field')].filter(asked);
const taken = (option) => option.querySelector(':scope > .row input').checked;

// asked is true for a question whose option, and theirs, are chosen.
function asked(field) {
  const follow = field.parentElement.closest('.follow');
  return !follow || taken(follow.parentElement) && asked(follow.closest('fieldset'));
}

// own lists a question's own controls, without those of its follow-ups.
const own = (field) => [...field.querySelectorAll('input, textarea')].filter((el) => el.closest('fieldset') === field && !el.closest('.note'));

function answered(field) {
  return own(field).some((el) => el.tagName === 'TEXTAREA'
    ? el.value.trim() !== '' && (!el.matches('.own') || taken(el.parentElement))
    : el.checked && el.value !== '' && el.value !== 'other');
}

// Drafts go to the server a moment after the last change: another surface
// offers them, a crash does not lose them, and a timeout starts anew. One that
// does not get there (0) goes with the next list.
const drafts = new Map(); // the timer of each form

function draftSoon(form) {
  clearTimeout(drafts.get(form));
  drafts.set(form, setTimeout(() => draft(form), 500));
}

async function draft(form) {
  clearTimeout(drafts.get(form));
  if (!drafts.delete(form)) return;
  const body = new URLSearchParams(new FormData(form));
  const keepalive = String(body).length < 60000; // a browser lets no more outlive the page
  const res = await fetch('/draft', { method: 'POST', body, keepalive }).catch(() => null);
  if (res?.ok) {
    form.dataset.draft = res.headers.get('X-Draft');
    keep(form, true);
  } else if (form.isConnected && !drafts.has(form)) drafts.set(form, 0);
}

const draftAll = () => [...drafts.keys()].forEach(draft);
addEventListener('pagehide', draftAll);

pane.addEventListener('input', ({ target }) => {
  const form = target.form;
  if (!form?.matches('[action="/answer"]')) return;
  begun.add(form);
  if (target.name !== 'also') draftSoon(form);
  keep(form);
  progress(form);
});

pane.addEventListener('change', ({ target }) => {
  if (target.value === 'other' && target.checked && target.type === 'checkbox') target.closest('.option').querySelector('.own').focus();
});

// What opens below the screen is brought into it.
pane.addEventListener('click', ({ target }) => {
  const way = target.closest('.way > summary')?.parentElement;
  if (way) requestAnimationFrame(() => scrolling(() => way.scrollIntoView({ block: 'nearest' })));
});

// The preview beside the options is that of the one that is looked at.
for (const type of ['pointerover', 'focusin', 'change']) pane.addEventListener(type, ({ target }) => peek(target.closest?.('.previews > .option:has(> .preview)')));

function peek(option) {
  if (!option || option.matches('.peek')) return;
  for (const x of option.parentElement.children) x.classList.toggle('peek', x === option);
}

// ---- Keys

document.addEventListener('keydown', (event) => {
  const { key, target, altKey } = event, command = event.ctrlKey || event.metaKey;
  if (event.defaultPrevented || altKey || event.isComposing || document.querySelector('dialog[open]')) return;
  const form = openForm();
  const typing = target.matches('textarea, [type="search"]');
  if (key === 'Enter') {
    if (!form || !command && target.matches('textarea, a, button, summary, [type="search"]')) return;
    event.preventDefault();
    if (command) form.requestSubmit(target.closest('.way[open]')?.querySelector('button') ?? main(form));
    else goOn(form);
  } else if (typing) {
    if (key === 'Escape') current()?.focus();
  } else if (command) {
    return;
  } else if (key === 'j' || key === 'k') {
    step(key === 'j' ? 1 : -1);
  } else if (key === '?') {
    help.showModal();
  } else if (key === 't') {
    pane.querySelector('[data-take]')?.click();
  } else if (form && choose(form, key)) {
    event.preventDefault();
  }
});

// take fills in what was answered to a question before.
function take({ dataset, form, parentElement }) {
  const field = parentElement.closest('fieldset');
  for (const el of own(field)) {
    if (el.tagName === 'TEXTAREA') el.value = dataset.text;
    else el.checked = el.value !== 'yes' && dataset.take.split(' ').includes(el.value);
  }
  form.elements.id.dispatchEvent(new Event('input', { bubbles: true }));
  lead(field.id);
}

const main = (form) => form.querySelector('button.main');

// goOn leads to the next question without an answer, and sends when there is
// none, or only such that may be left open and come before.
function goOn(form) {
  const all = questions(form);
  const here = all.indexOf(document.activeElement.closest('fieldset.field'));
  const next = all.slice(here + 1).find((f) => !answered(f)) ??
    all.find((f) => !answered(f) && !f.querySelector(':scope > legend .need'));
  if (next && next !== all[here]) lead(next.id);
  else if (!next || answered(next)) form.requestSubmit(main(form));
}

// choose takes the option of a key, in the question that has the focus or else
// the first without an answer.
function choose(form, key) {
  const all = questions(form);
  const field = document.activeElement.closest('fieldset.field') ?? all.find((f) => !answered(f)) ?? all[0];
  if (!field) return false;
  const options = own(field).filter((el) => el.dataset.cap);
  const input = options.find((el) => el.dataset.cap === key.toUpperCase()) ?? options[key - 1];
  if (!input) return false;
  input.click();
  if (input.value !== 'other' || !input.checked) input.focus();
  else input.closest('.option').querySelector('.own').focus();
  return true;
}

// step goes to the question so far from this one in the list.
function step(by) {
  const all = [...list.querySelectorAll('li:not(.gone)')];
  const here = all.indexOf(entry(current()?.dataset.id));
  const next = all[here + by];
  if (next) show(next.dataset.id);
}

// ---- Sending

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.matches('[role="search"]')) return;
  event.preventDefault();
  if (form.matches('[data-lift]')) lift(form);
  else if (form.matches('[data-again]')) again(form);
  else if (event.submitter?.name) send(event.submitter);
});

async function lift(form) {
  const res = await post('/lift', form);
  if (!res?.ok) return say(texts.limit, true);
  tell(...parse(await res.text()).children);
  lend(form.closest('.card') ?? $('count'));
  reconcile();
}

async function again(form) {
  const res = await post('/reopen', form);
  const html = res && parse(await res.text());
  const card = html?.querySelector('.card');
  past.close();
  if (!card) return say(html?.querySelector('p')?.textContent ?? texts.unreached, true);
  put(card);
  relist();
}

const unheard = new Map(); // the buttons of what was sent, by id, without a word of what became of it

async function send(button) {
  const { form } = button, id = form.elements.id.value;
  if (form.dataset.sending) return;
  form.dataset.sending = '1';
  form.setAttribute('aria-busy', 'true');
  const res = await post('/answer', form, button);
  const sure = res?.status < 500, lost = !sure && !unheard.has(id);
  if (sure) unheard.delete(id);
  else unheard.set(id, button);
  const html = res && parse(await res.text().catch(() => ''));
  delete form.dataset.sending;
  form.removeAttribute('aria-busy');
  const card = html?.querySelector('.card'), why = html?.querySelector('#none p')?.textContent ?? texts.unreached;
  if (res?.ok) forget(form);
  if (!form.isConnected) { // the human has gone on to another question
    if (res?.ok) tell(...html.children);
    else if (card?.matches('.ended')) say(card.dataset.overruled ?? card.dataset.said, true);
    else say(card?.querySelector('.refused').textContent ?? fill(texts.unsent, why), true);
  } else if (res?.ok) {
    sent(form.closest('.card'), [...html.children]);
  } else if (card?.matches('.ended')) {
    forget(form);
    end(form.closest('.card'), card);
  } else if (card) {
    form.closest('.card').replaceWith(card);
    ready(card);
    lend(card.querySelector('.refused a') ?? card, true);
  } else {
    complain(form, why, html?.querySelector('pre')?.textContent ?? '');
  }
  if (lost) reconcile();
}

// complain says in the form why it was not sent, and below where that is out of sight,
// and leaves the form as it is.
function complain(form, ...words) {
  const p = document.createElement('p');
  p.textContent = fill(texts.unsent, words.join(' '));
  form.querySelector('.refused').replaceChildren(p);
  if (p.getBoundingClientRect().top < document.querySelector('.bar').offsetHeight) say(p.textContent, true);
}

// sent dims the card and the entries that notices are about, and goes on once no
// pointer is in the way. What is not sent yet stays.
function sent(card, notices) {
  tell(...notices);
  goOnFrom(card, '', ...notices.map((x) => x.dataset.id).filter((id) => !unsent.has(id)));
  relist();
}

// goOnFrom dims a card, takes entries out of the list, and goes on with the next
// question, unless the human has gone to the list, where there still is one.
function goOnFrom(card, fate, ...ended) {
  const next = nextTo(card.dataset.id);
  for (const id of ended) fade(entry(id));
  dim(card, fate);
  calm(card, () => { if (card.isConnected && !(listed() && nextOf(next))) show(nextOf(next), { push: false, lent: true }); });
}

// nextTo is the entry to go on with after that of a question: the next one that
// waits, else the one before.
function nextTo(id) {
  const all = [...list.children], at = all.indexOf(entry(id));
  const here = (x) => !x.matches('.gone');
  return all.slice(at + 1).find(here) ?? all.slice(0, Math.max(at, 0)).findLast(here);
}

// nextOf is the id of an entry, if it still waits.
const nextOf = (li) => li?.isConnected && !li.matches('.gone') ? li.dataset.id : '';

// dim takes a card out of use. It stays where it is.
function dim(card, fate) {
  card.inert = true;
  card.classList.add('gone');
  card.dataset.fate = fate;
}

// fade takes an entry out of the list, once no pointer is in the way.
function fade(li) {
  if (!li || li.matches('.gone')) return;
  li.inert = true;
  li.classList.add('gone');
  calm(li, () => li.remove());
}

// end puts what became of a record in the place of its card, with what was
// filled in and not sent.
function end(card, ended, form) {
  fade(entry(card.dataset.id));
  dim(card, ended.querySelector('.fate strong').textContent);
  calm(card, () => {
    if (!card.isConnected) return;
    for (const el of form?.elements ?? []) if (el.type !== 'hidden') el.disabled = true;
    if (form) {
      const box = document.createElement('details');
      box.append(Object.assign(document.createElement('summary'), { textContent: texts.own }), form);
      ended.querySelector('.ending').append(box);
    }
    card.replaceWith(ended);
    if (document.activeElement === document.body) lend(ended);
  });
}

// A toast goes by itself.
let toast = 0;
const unsent = new Set(); // the ids of what the human heard, or sees, is not sent yet

function tell(...notices) {
  for (const el of notices) if (el.matches('.unsent')) unsent.add(el.dataset.id);
  news.replaceChildren(...notices);
  clearTimeout(toast);
  toast = setTimeout(() => news.replaceChildren(), 10000);
}

function say(words, late = false) {
  tell(Object.assign(document.createElement('p'), { className: late ? 'notice late' : 'notice', textContent: words }));
}

// ---- Showing

let asking = 0; // the latest card that was asked for

// show puts the question with an id into the pane; the first for none.
async function show(id, { push = true, lent = false, control = false } = {}) {
  const turn = ++asking, form = openForm();
  if (id && form?.elements.id.value === id && push !== null) {
    if (listed()) history.pushState(null, '', '/?id=' + id);
    return goTo(current(), { control });
  }
  draftAll();
  const res = await fragment('/fragments/pane' + (id ? '?id=' + id : ''));
  if (turn !== asking || !res?.ok) return refused(res);
  put(parse(await res.text()).firstElementChild, { push, lent, control });
}

function put(fresh, { push = true, lent = false, control = false } = {}) {
  const id = fresh.dataset.id ?? '';
  draftAll();
  pane.replaceChildren(fresh);
  mark(id);
  if (push !== null) history[push ? 'pushState' : 'replaceState'](null, '', id ? '/?id=' + id : '/');
  scrollTo(0, 0);
  if (id) ready(fresh);
  goTo(fresh, { push, lent, control });
}

// goTo leads into a card, as far as the human asked for it.
function goTo(card, { push = true, lent = false, control = false }) {
  const { id } = card.dataset;
  document.body.dataset.view = id ? 'one' : 'list';
  const field = control && card.querySelector('fieldset.field');
  if (field) lead(field.id);
  else if (lent) lend(id ? card : $('count'), true);
  else if (push) card.focus();
}

// mark says in the list which question is in sight.
function mark(id) {
  for (const a of list.querySelectorAll('[aria-current]')) a.removeAttribute('aria-current');
  entry(id)?.firstElementChild.setAttribute('aria-current', 'true');
  entry(id)?.scrollIntoView({ block: 'nearest' });
}

addEventListener('popstate', () => {
  const query = new URLSearchParams(location.search);
  if (!query.has('id') && !wide.matches) document.body.dataset.view = 'list';
  else show(query.get('id') ?? '', { push: null });
});

// lead goes to the first control of a question.
function lead(id) {
  const el = $(id);
  (el?.querySelector('input:not([type=hidden]), textarea') ?? el)?.focus();
}

// ready prepares a card for this script.
function ready(card) {
  const form = card.querySelector('form[action="/answer"]');
  if (!form) return;
  if ('unsent' in card.dataset) unsent.add(card.dataset.id);
  if (unheard.has(card.dataset.id)) unheard.set(card.dataset.id, form.querySelector(`[value="${unheard.get(card.dataset.id).value}"]`));
  form.noValidate = true; // the server says what is missing, beside the question
  restore(form);
  progress(form);
  for (const box of card.querySelectorAll('.previews')) {
    for (const el of box.querySelectorAll(':scope > .option > .preview')) el.open ||= innerWidth >= 1024;
    peek((box.querySelector(':checked')?.closest('.option:has(> .preview)')) ?? box.querySelector(':scope > .option:has(> .preview)'));
  }
  ages();
}

// ---- Live updates

// refused says why the server let nothing through, if it did not.
function refused(res) {
  if (!res || res.ok) return;
  trouble.textContent = res.status === 401 ? texts.ended : texts.failed;
  trouble.hidden = false;
}

// once runs a job that takes its time one at a time, and once more if it was
// wanted meanwhile.
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

const relist = once(async () => {
  const res = await fragment('/fragments/list?id=' + (current()?.dataset.id ?? ''));
  if (!res?.ok) return refused(res);
  const html = parse(await res.text());
  const fresh = html.querySelector('#list');
  for (const el of document.querySelectorAll('[name=csrf]')) el.value = fresh.dataset.csrf;
  for (const [form, timer] of drafts) if (!timer) draft(form);
  const waits = (id) => fresh.querySelector(`[data-id="${id}"]`);
  for (const li of list.children) if (!waits(li.dataset.id)) fade(li);
  for (const id of [...unsent, ...unheard.keys()]) if (!waits(id)) fate(id);
  const known = list.dataset.last;
  for (const li of [...fresh.children]) {
    const { id } = li.dataset, old = entry(id);
    if (old) renew(old.querySelector('.facts'), li.querySelector('.facts'));
    else arrive(li);
    if (id > known && !old) hearOf(li);
  }
  if (fresh.dataset.last > known) list.dataset.last = fresh.dataset.last;
  renew($('more'), html.querySelector('#more'));
  count(fresh.dataset);
  if (!current() && fresh.dataset.count > 0) show('', { push: false, lent: document.activeElement === document.body });
  ages();
});

function renew(old, fresh) {
  if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

function arrive(li) {
  const after = [...list.children].find((x) => x.dataset.id > li.dataset.id);
  const place = () => {
    if (entry(li.dataset.id)) return;
    list.insertBefore(li, after?.isConnected ? after : null);
    li.classList.add('new');
  };
  if (after) calm(after, place);
  else place();
}

// hearOf tells the human that something new waits.
function hearOf({ dataset, textContent }) {
  say(fill(texts.news, dataset.asker));
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const note = new Notification(fill(texts.asks, dataset.asker), { body: textContent.split('\n')[0].trim(), tag: dataset.id, icon: '/favicon.svg' });
  note.onclick = () => { focus(); show(dataset.id); note.close(); };
}

const recard = once(async () => {
  const card = current();
  if (!card) return;
  const res = await fragment('/fragments/pane?id=' + card.dataset.id);
  if (!res?.ok) return refused(res);
  const fresh = parse(await res.text()).firstElementChild;
  if (!card.isConnected || fresh.dataset.id !== card.dataset.id) return;
  if (fresh.matches('.ended')) return leave(card, fresh);
  const elsewhere = typed(card, fresh);
  if (elsewhere && !inTheWay(card)) return refill(card, fresh);
  patch(card, fresh);
  if (elsewhere) calm(card, recard);
});

// typed reports whether a form that nobody is at was filled in elsewhere.
function typed(card, fresh) {
  const [form, other] = [card, fresh].map((x) => x.querySelector('form[action="/answer"]'));
  return form && !card.inert && !begun.has(form) && !form.contains(document.activeElement) && String(filled(form)) !== String(filled(other));
}

function refill(card, fresh) {
  const focused = card === document.activeElement;
  card.replaceWith(fresh);
  ready(fresh);
  if (focused) lend(fresh);
}

// leave takes away a card whose record has ended, unless somebody is at it:
// that human is told who was first, and keeps what they have written. An answer
// that waited to be sent was theirs, unless it came too late.
function leave(card, ended) {
  const form = card.querySelector('form[action="/answer"]');
  if (card.matches('.ended, .gone') || form?.dataset.sending) return; // its own answer tells
  if (unheard.has(card.dataset.id)) return send(unheard.get(card.dataset.id)); // it may have arrived: this tells
  const late = !unsent.delete(card.dataset.id) || 'overruled' in ended.dataset;
  const kept = form && late && filled(form).length > 0;
  const fate = ended.querySelector('.fate strong').textContent;
  say(ended.dataset.overruled ?? ended.dataset.said, late);
  if (form) forget(form);
  if (kept || card.querySelector(':focus')) return end(card, ended, kept && form);
  goOnFrom(card, fate);
}

// patch renews what says something about a card, and nothing of its form. What
// would change its height waits for the pointer.
function patch(card, fresh) {
  if ('unsent' in fresh.dataset) unsent.add(card.dataset.id); // what ends it then is that answer
  for (const part of card.querySelectorAll('[data-part]')) {
    const other = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!other || part.contains(document.activeElement) || part.innerHTML === other.innerHTML) continue;
    const height = part.offsetHeight;
    exchange(part, other);
    if (other.offsetHeight === height || !inTheWay(card)) continue;
    exchange(other, part);
    for (const el of part.querySelectorAll('p.remark')) { // what is not true any more goes at once
      el.classList.toggle('untrue', !other.textContent.includes(el.textContent));
    }
    calm(card, () => { if (part.isConnected) exchange(part, other); });
  }
  ages();
}

function exchange(part, other) {
  const ticked = new Set([...part.querySelectorAll(':checked')].map((el) => el.value));
  part.replaceWith(other);
  for (const el of other.querySelectorAll('[name=also]')) el.checked = ticked.has(el.value);
}

// reconcile asks for whatever changed while nobody told us.
function reconcile() {
  relist();
  recard();
}

// fate tells what became of an answer that was not sent at once, or of which nothing was
// heard, unless the card of that question is in sight, which tells.
async function fate(id) {
  if (openForm()?.elements.id.value === id) return;
  const res = await fragment('/fragments/pane?id=' + id);
  if (!res?.ok) return;
  const { overruled, said } = parse(await res.text()).firstElementChild.dataset;
  if (said && unheard.has(id)) return send(unheard.get(id));
  const mine = said && unsent.delete(id);
  if (overruled || mine) say(overruled ?? said, !!overruled);
}

// A browser keeps few connections to one server. So one of its tabs listens and
// tells the others.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = (event) => hear(event.data);

function hear(event) {
  document.documentElement.dataset.live = event === 'trouble' ? 'no' : 'yes';
  if (event === 'trouble') {
    if (!trouble.hidden) return;
    trouble.textContent = texts.lost;
    trouble.hidden = false;
    return relist(); // which tells why, where the server does
  }
  trouble.hidden = true;
  if (event.later) fate(event.id);
  reconcile();
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

function count({ count: n, said }) {
  if ($('count').textContent === said) return;
  $('count').textContent = said;
  document.title = n > 0 ? `(${n}) mcp-askuser` : 'mcp-askuser';
  document.querySelector('link[rel=icon]').href = '/favicon.svg?n=' + n;
}

// away and left are words.Ago and words.Left, after their examples.
const like = (example, n) => example.replace(/\d+/, n);

function away(ms) {
  const min = Math.floor(ms / 60000), [now, mins, hours, days] = texts.ages;
  if (min < 1) return now;
  if (min < 60) return like(mins, min);
  return min < 48 * 60 ? like(hours, Math.floor(min / 60)) : like(days, Math.floor(min / 1440));
}

function left(ms) {
  const s = ms / 1000, [up, secs, mins, hours] = texts.lefts;
  if (s <= 0) return up;
  if (s <= 60) return like(secs, Math.ceil(s));
  return s <= 3600 ? like(mins, Math.ceil(s / 60)) : like(hours, Math.ceil(s / 3600));
}

function ages() {
  for (const el of document.querySelectorAll('time[data-ago], time[data-left]')) {
    const ms = Date.parse(el.dateTime) - Date.now();
    const text = 'ago' in el.dataset ? away(-ms) : left(ms);
    if (el.textContent !== text) el.textContent = text;
    if ('left' in el.dataset) el.parentElement.classList.toggle('soon', ms < 20000);
  }
}

setInterval(ages, 1000);

// Notifications, for those who ask for them.
function offer() {
  notify.hidden = !('Notification' in window) || Notification.permission !== 'default';
}

notify.addEventListener('click', async () => {
  await Notification.requestPermission();
  offer();
});

$('help').addEventListener('click', () => help.showModal());

// Links lead to pages of their own; with this script they open in this one, so
// that no form is left for them.
document.addEventListener('click', (event) => {
  const at = event.target.closest('#list a, .back, [data-take], a[data-history], a[data-remove], [data-close], #past a[href^="/history"], .refused a');
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if ('close' in at.dataset) at.closest('dialog').close();
  else if ('remove' in at.dataset) show(nextOf(nextTo(at.closest('.card').dataset.id)), { push: false, lent: true });
  else if ('take' in at.dataset) take(at);
  else if (at.matches('.back')) toList();
  else if (at.closest('.refused')) lead(at.hash.slice(1));
  else if (at.closest('#list')) show(at.closest('li').dataset.id, { control: wide.matches });
  else look(at.href);
});

function toList() {
  draftAll();
  history.pushState(null, '', '/?list');
  document.body.dataset.view = 'list';
  $('count').focus();
}

past.addEventListener('submit', (event) => {
  if (!event.target.matches('[role="search"]')) return;
  event.preventDefault();
  look('/history?' + new URLSearchParams(new FormData(event.target)));
});

async function look(url) {
  const res = await fragment(url);
  if (!res?.ok) return say(texts.history, true);
  past.querySelector('div').replaceChildren(...parse(await res.text()).childNodes);
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
