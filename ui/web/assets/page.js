// Keeps the page live. Everything it does for answering works without it.
//
// The server renders; this script only places what it renders. A card with a
// form that somebody is filling in is never replaced: its head and what it
// says about alike questions change, its fields do not.
'use strict';

const cards = document.getElementById('cards');
const news = document.getElementById('news');
const trouble = document.getElementById('trouble');
const past = document.getElementById('past');
const notify = document.getElementById('notify');

const find = (id) => document.getElementById('r-' + id);
const fragment = (url, options = {}) =>
  fetch(url, { ...options, headers: { 'X-Fragment': '1' }, cache: 'no-store' });
const parse = (html) => new DOMParser().parseFromString(html, 'text/html').body;

// ---- What a form holds

// filled lists the fields of a form that say something.
function filled(form) {
  return [...new FormData(form)].filter(([name, value]) => value !== '' && form.elements[name]?.type !== 'hidden');
}

const key = (form) => 'askuser:' + form.elements.id.value;

// keep stores a half-filled form, so that a reload does not lose it.
function keep(form) {
  try {
    sessionStorage.setItem(key(form), JSON.stringify(filled(form)));
  } catch { /* storage is full or switched off: the page still works */ }
}

function forget(form) {
  clearTimeout(drafts.get(form));
  drafts.delete(form);
  try { sessionStorage.removeItem(key(form)); } catch { /* as above */ }
}

// restore fills a form in as it was kept.
function restore(form) {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(key(form))); } catch { /* as above */ }
  if (!Array.isArray(kept)) return;
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

const touched = (form) => filled(form).length > 0;

// progress says how many of the questions that are asked have an answer. It
// looks at what is chosen, not at what is in sight: to ask a browser that, for
// each of a thousand cards, takes it half a minute.
function progress(form) {
  const fields = [...form.querySelectorAll('fieldset.field')].filter(asked);
  const done = fields.filter(answered).length;
  const out = form.querySelector('[data-progress]');
  out.hidden = fields.length < 2;
  out.textContent = `${done} of ${fields.length} answered`;
}

const taken = (option) => option.querySelector(':scope > .row input').checked;

// asked is true for a question whose option, and theirs, are chosen.
function asked(field) {
  const follow = field.parentElement.closest('.follow');
  return !follow || taken(follow.parentElement) && asked(follow.closest('fieldset'));
}

// answered looks at a question's own controls, not at those of its follow-ups.
function answered(field) {
  const own = [...field.querySelectorAll('input, textarea')].filter((el) => el.closest('fieldset') === field);
  return own.some((el) => el.tagName === 'TEXTAREA'
    ? el.value.trim() !== '' && (!el.matches('.own') || taken(el.parentElement))
    : el.checked && el.value !== '' && el.value !== 'other');
}

// Drafts go to the server a moment after the last change: another surface
// offers them, a crash does not lose them, and a timeout starts anew.
const drafts = new Map();

function draftSoon(form) {
  clearTimeout(drafts.get(form));
  drafts.set(form, setTimeout(() => draft(form), 500));
}

function draft(form) {
  clearTimeout(drafts.get(form));
  if (!drafts.delete(form)) return;
  fetch('/draft', { method: 'POST', body: new URLSearchParams(new FormData(form)), keepalive: true }).catch(() => {});
}

addEventListener('pagehide', () => [...drafts.keys()].forEach(draft));

cards.addEventListener('input', (event) => {
  const form = event.target.form;
  if (!form) return;
  keep(form);
  progress(form);
  if (event.target.name !== 'also') draftSoon(form);
});

// Choosing Other leads to its text.
cards.addEventListener('change', (event) => {
  const { value, checked, type } = event.target;
  if (value === 'other' && checked && type === 'checkbox') event.target.closest('.option').querySelector('.own').focus();
});

cards.addEventListener('keydown', (event) => {
  const form = event.target.form;
  if (!form || event.key !== 'Enter' || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form.requestSubmit(form.querySelector('button.main'));
  }
});

// ---- Sending

cards.addEventListener('submit', (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.matches('[data-lift]')) lift(form);
  else if (event.submitter?.name && !form.dataset.sending) send(form, event.submitter);
});

async function lift(form) {
  const res = await fragment('/lift', { method: 'POST', body: new URLSearchParams(new FormData(form)) }).catch(() => null);
  if (!res?.ok) return say('The limit could not be lifted: try again.', true);
  tell(...parse(await res.text()).children);
  refresh(form.elements.id.value);
  lend(form.closest('.card').querySelector('h2'));
}

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  form.dataset.sending = '1';
  form.setAttribute('aria-busy', 'true');
  button.disabled = true;
  try {
    const res = await fragment('/answer', { method: 'POST', body });
    const html = parse(await res.text());
    if (res.ok) {
      forget(form);
      sent(form.closest('.card'), [...html.children]);
      return;
    }
    const card = html.querySelector('.card');
    if (!card) throw new Error(html.querySelector('p')?.textContent);
    if (card.classList.contains('ended')) {
      forget(form);
      open?.delete(card.dataset.id);
      end(form.closest('.card'), card, true);
      settle();
      return;
    }
    form.dataset.sending = '';
    form.closest('.card').replaceWith(card);
    ready(card);
    lend(card.querySelector('.refused a') ?? card.querySelector('h2'), true);
  } catch (error) {
    complain(form, error.message && error.name === 'Error' ? error.message : 'The server cannot be reached. Nothing is lost: try again.');
  } finally {
    delete form.dataset.sending;
    form.removeAttribute('aria-busy');
    button.disabled = false;
  }
}

// complain says in the form why it was not sent, and leaves the form as it is.
function complain(form, words) {
  const p = document.createElement('p');
  p.textContent = 'Not sent. ' + words;
  form.querySelector('.refused').replaceChildren(p);
}

// sent puts away the cards that the notices are about, which are that of the
// form and maybe some alike, and goes on with the next one.
function sent(card, notices) {
  tell(...notices);
  const group = card.dataset.group;
  for (const { dataset, textContent } of notices) {
    open?.delete(dataset.id);
    const other = find(dataset.id);
    if (other) drop(other, textContent);
  }
  const next = nextTo(card);
  settle();
  refreshAlike(group);
  lend(next);
}

// nextTo is what the focus goes to when it leaves a card: the next one that
// waits, else the one before, else the head of the page.
function nextTo(card) {
  const here = (x) => !x.matches('.gone, .ended');
  const all = [...cards.children], at = all.indexOf(card);
  const next = all.slice(at + 1).find(here) ?? all.slice(0, at).findLast(here);
  return next?.querySelector('h2') ?? document.getElementById('count');
}

// dim takes a card out of use. It stays where it is.
function dim(card, fate) {
  card.inert = true;
  card.classList.add('gone');
  card.dataset.fate = fate;
}

// drop takes a card away, once no pointer is in the way.
function drop(card, fate) {
  dim(card, fate);
  calm(card, () => { card.remove(); settle(); });
}

// end puts what became of a record in the place of its card, likewise: with
// what was filled in, if there is such a form, and the focus, if it was there.
function end(card, ended, focused, form) {
  dim(card, ended.querySelector('.fate strong').textContent);
  calm(card, () => {
    for (const el of form?.elements ?? []) if (el.type !== 'hidden') el.disabled = true;
    if (form) ended.querySelector('.ending').append(own(form));
    card.replaceWith(ended);
    if (focused && document.activeElement === document.body) lend(ended.querySelector('h2'));
  });
}

function tell(...notices) {
  news.replaceChildren(...notices);
}

function say(words, late = false) {
  const p = document.createElement('p');
  p.className = late ? 'notice late' : 'notice';
  p.textContent = words;
  tell(p);
}

// ---- Live updates

// open holds the ids of all that waits, shown or not; null until the server has
// told them.
let open = null;

const wanted = new Set();

// refresh asks for cards, together with what else is asked for in this moment.
function refresh(...ids) {
  if (wanted.size === 0) setTimeout(flush);
  ids.forEach((id) => wanted.add(id));
}

async function flush() {
  const ids = [...wanted];
  wanted.clear();
  for (let i = 0; i < ids.length; i += 50) {
    const query = new URLSearchParams(ids.slice(i, i + 50).map((id) => ['id', id]));
    const res = await fragment('/fragments/cards?' + query).catch(() => null);
    if (!res?.ok) return; // the stream tells when the server is back
    for (const card of [...parse(await res.text()).children]) place(card);
  }
  settle();
}

function place(fresh) {
  const id = fresh.dataset.id;
  const card = find(id);
  if (fresh.classList.contains('ended')) {
    open?.delete(id);
    if (card) leave(card, fresh);
  } else if (card) {
    patch(card, fresh);
  } else {
    const unheard = open && !open.has(id);
    open?.add(id);
    if (unheard) hearOf(fresh);
    if (room(id)) arrive(fresh);
  }
}

// shownIDs are the ids of what there is room to show, oldest first.
function shownIDs() {
  const from = cards.dataset.from ?? '';
  return [...open].filter((id) => id >= from).sort().slice(0, Number(cards.dataset.most));
}

const room = (id) => !open || shownIDs().includes(id);

// hearOf tells the human that something new waits.
function hearOf(card) {
  say(`${card.dataset.asker} asks something.`);
  ring(card);
}

function arrive(card) {
  const after = [...cards.children].find((x) => x.dataset.id > card.dataset.id);
  const place = () => {
    if (find(card.dataset.id)) return;
    cards.insertBefore(card, after?.isConnected ? after : null);
    card.classList.add('new');
    ready(card);
    refreshAlike(card.dataset.group, card);
  };
  if (after) calm(after, place);
  else place();
}

// leave takes away a card whose record has ended, unless somebody is at it:
// that human is told who was first, and keeps what they have written.
function leave(card, ended) {
  if (card.matches('.ended, .gone')) return;
  const form = card.querySelector('form[action="/answer"]');
  const kept = form && touched(form);
  if (form?.dataset.sending) return; // its own answer tells
  const fate = ended.querySelector('.fate strong').textContent;
  const focused = card.contains(document.activeElement);
  say(`${card.dataset.asker}: ${fate.toLowerCase()}.`, true);
  if (kept || focused) {
    if (form) forget(form);
    end(card, ended, focused, kept && form);
  } else {
    drop(card, fate);
  }
  refreshAlike(card.dataset.group);
}

// own shows what was filled in and not sent.
function own(form) {
  const box = document.createElement('details');
  box.append(Object.assign(document.createElement('summary'), { textContent: 'What you had filled in, which was not sent' }), form);
  return box;
}

// patch renews what says something about a card, and nothing of its form.
function patch(card, fresh) {
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
  ages(card);
}

function exchange(part, other) {
  const ticked = new Set([...part.querySelectorAll(':checked')].map((el) => el.value));
  part.replaceWith(other);
  for (const el of other.querySelectorAll('[name=also]')) el.checked = ticked.has(el.value);
}

// refreshAlike renews what the cards of a group say about each other.
function refreshAlike(group, except) {
  const same = [...cards.children].filter((x) => x !== except && x.dataset.group === group && !x.matches('.ended, .gone'));
  refresh(...same.slice(0, 10).map((x) => x.dataset.id));
}

// reconcile asks for whatever changed while nobody told us.
async function reconcile() {
  const res = await fragment('/fragments/open').catch(() => null);
  if (!res?.ok) return;
  open = new Set(await res.json());
  const ours = [...cards.querySelectorAll('.card:not(.ended)')].map((x) => x.dataset.id);
  refresh(...ours.filter((id) => !open.has(id)));
  settle();
}

// A browser keeps few connections to one server. So one of its tabs listens and
// tells the others.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = (event) => hear(event.data);

function hear(event) {
  document.documentElement.dataset.live = event === 'trouble' ? 'no' : 'yes';
  if (event === 'connected') {
    trouble.hidden = true;
    reconcile();
  } else if (event === 'trouble') {
    trouble.textContent = 'The connection is lost. What is shown may be out of date; what you fill in is kept.';
    trouble.hidden = false;
  } else {
    refresh(event);
  }
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
    source.addEventListener('ask:question:' + type, (event) => pass(JSON.parse(event.data).id));
  }
}

// ---- What else the page shows

// settle brings the counts up to date, and shows what there is room for now.
function settle() {
  if (!open) return;
  const show = shownIDs();
  const missing = show.filter((id) => !find(id));
  if (missing.length) refresh(...missing);
  count(open.size);
  const rest = document.getElementById('rest');
  const from = cards.dataset.from ?? '';
  const more = [...open].filter((id) => id >= from).length - show.length;
  rest.hidden = more === 0 && !from;
  rest.querySelector('span').textContent = more;
}

function count(n) {
  const words = n === 0 ? 'No questions' : n === 1 ? '1 question waits' : `${n} questions wait`;
  const h1 = document.getElementById('count');
  if (h1.textContent === words) return;
  h1.textContent = words;
  document.title = n ? `(${n}) Questions` : 'Questions';
  document.querySelector('link[rel=icon]').href = '/favicon.svg?n=' + n;
}

// away and left are words.Ago and words.Left.
function away(ms) {
  const min = Math.floor(ms / 60000);
  if (min < 1) return 'just now';
  if (min < 60) return `${min} min ago`;
  return min < 48 * 60 ? `${Math.floor(min / 60)} h ago` : `${Math.floor(min / 1440)} d ago`;
}

function left(ms) {
  const s = ms / 1000;
  if (s <= 0) return 'time is up';
  if (s <= 60) return `closes in ${Math.ceil(s)} s`;
  return s <= 3600 ? `closes in ${Math.ceil(s / 60)} min` : `closes in ${Math.ceil(s / 3600)} h`;
}

function ages(root = document) {
  const now = Date.now();
  const set = (el, text) => { if (el.textContent !== text) el.textContent = text; };
  for (const el of root.querySelectorAll('time[data-ago]')) set(el, away(now - Date.parse(el.dateTime)));
  deadlines(root);
}

function deadlines(root = document) {
  for (const el of root.querySelectorAll('time[data-left]')) {
    const ms = Date.parse(el.dateTime) - Date.now();
    const text = left(ms);
    if (el.textContent !== text) el.textContent = text;
    el.parentElement.classList.toggle('soon', ms < 20000);
  }
}

setInterval(ages, 30000);
setInterval(deadlines, 1000);

// Notifications, for those who ask for them.
function offer() {
  notify.hidden = !('Notification' in window) || Notification.permission !== 'default';
}

notify.addEventListener('click', async () => {
  await Notification.requestPermission();
  offer();
});

function ring(card) {
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const note = new Notification(`${card.dataset.asker} asks`, {
    body: card.querySelector('legend .text')?.textContent, tag: card.dataset.id, icon: '/favicon.svg',
  });
  note.onclick = () => { focus(); card.scrollIntoView(); card.querySelector('h2').focus(); note.close(); };
}

// The history opens beside the questions, so that no form is left for it.
document.addEventListener('click', (event) => {
  const at = event.target.closest('a[data-history], a[data-remove], [data-close], #past a[href^="/history"], .refused a');
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if ('close' in at.dataset) past.close();
  else if ('remove' in at.dataset) putAway(at.closest('.card'));
  else if (at.closest('.refused')) lead(at.hash.slice(1));
  else look(at.href);
});

past.addEventListener('submit', (event) => {
  event.preventDefault();
  look('/history?' + new URLSearchParams(new FormData(event.target)));
});

async function look(url) {
  const res = await fragment(url).catch(() => null);
  if (!res?.ok) return say('The history cannot be read now.', true);
  past.querySelector('div').replaceChildren(...parse(await res.text()).childNodes);
  if (!past.open) past.showModal();
  past.querySelector('input[type=search]').focus();
}

function putAway(card) {
  drop(card, '');
  lend(nextTo(card));
}

// lead goes to the first control of a question.
function lead(id) {
  const el = document.getElementById(id);
  (el?.querySelector('input:not([type=hidden]), textarea') ?? el)?.focus();
}

// ready prepares a card for this script.
function ready(card) {
  const form = card.querySelector('form[action="/answer"]');
  if (!form) return;
  form.noValidate = true; // the server says what is missing, beside the question
  restore(form);
  progress(form);
}

for (const card of cards.children) ready(card);
offer();
ages();
if (navigator.locks) navigator.locks.request('askuser', () => { listen(); return new Promise(() => {}); });
else listen();
reconcile();
