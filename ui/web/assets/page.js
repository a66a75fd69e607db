// The page's script. Everything that it does for answering works without it.
//
// The server renders: this script fetches the pages that a browser without scripts gets, and puts
// their list and their card in place. A form that the user has touched is not replaced: only the
// parts of its card with data-part are, until its record has ended.
'use strict';

const $ = (id) => document.getElementById(id);
const list = $('list'), pane = $('pane'), dialog = $('dialog'), filter = $('filter');
const news = $('news'), trouble = $('trouble');
const texts = JSON.parse($('texts').textContent); // what this script says, in the language of the page
const wide = matchMedia('(min-width: 48rem)');
const listed = () => document.body.dataset.view === 'list' && !wide.matches; // the list alone is in sight

const entry = (id) => list.querySelector(`[data-id="${id}"]`);
const current = () => pane.querySelector('.card');
const formIn = (card) => card?.querySelector('form[action="/answer"]') ?? null;
const openForm = () => formIn(current());
const fields = (form, button) =>
  new URLSearchParams([...new FormData(form, button)].filter(([, value]) => typeof value === 'string')); // no files

// load requests a page, with a form if there is one to send. Its status is 0 if it did not arrive;
// redirected says that the server has taken the form.
async function load(url, body) {
  const options = { method: body ? 'POST' : 'GET', body, headers: { 'X-Script': '1' }, cache: 'no-store' };
  const res = await fetch(url, options).catch(() => null);
  const text = await res?.text().catch(() => null) ?? null;
  const page = new DOMParser().parseFromString(text ?? '', 'text/html');
  return { ok: text !== null && res.ok, status: text === null ? 0 : res.status, redirected: !!res?.redirected, page };
}

// ---- A deliberate act

// A control that has only just come to where it is takes no click and no Enter, and a held Enter
// counts once. In ms.
const delays = { fresh: 600, repeat: 150 };
const controls = 'a[href], button, input, label, summary';

const placed = new WeakMap(); // when an element came to where it is, with all in it
const place = (el) => el && placed.set(el, performance.now());

function isFresh(el, at = performance.now()) {
  for (; el; el = el.parentElement) if (at - placed.get(el) < delays.fresh) return true;
  return false;
}

// The last click that counted. Another one at its place counts for the same control only: what
// was there may have moved away.
let clicked = { x: 0, y: 0, at: -Infinity, control: null };
let entered = -Infinity; // when Enter was last pressed

addEventListener('click', (event) => {
  const { pageX: x, pageY: y, timeStamp: at, detail } = event, near = event.target.closest?.(controls);
  if (!near || detail === 0) return; // 0: a key, or a script
  const control = near.control ?? near, was = clicked;
  const soon = at - was.at < delays.fresh && Math.hypot(x - was.x, y - was.y) < 24;
  const slipped = soon && control !== was.control;
  if (!slipped && !isFresh(near, at)) {
    clicked = { x, y, at, control };
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  if (detail === 1) showNotice(texts.early);
}, true);

// isNewLine reports whether an Enter is a new line in a text. In the field of a panel it acts, like
// the panel's button; Shift makes it a new line.
const isNewLine = ({ target, ctrlKey, metaKey, shiftKey }) =>
  target.matches('textarea') && !ctrlKey && !metaKey && (shiftKey || !target.closest('.panel'));

// takesEnter reports whether an Enter counts where the focus is, or in the card where it is nowhere.
const takesEnter = () => !isFresh(document.activeElement === document.body ? current() : document.activeElement);

addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  const held = event.repeat || event.timeStamp - entered < delays.repeat;
  entered = event.timeStamp;
  if (isNewLine(event) || !held && takesEnter()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!held) showNotice(texts.early);
}, true);

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return;
  place(document.body);
  renew(); // a device that slept has missed events
});

// ---- Drafts

// The server gets a draft a moment after the last change: other surfaces offer it, and a timeout
// starts anew. What it does not have yet is kept in the tab, for a reload.
const keyOf = (form) => 'askuser:' + form.elements.id.value;
let drafting = 0; // the timer of the next draft

function touch(form, wait = 300) {
  form.dataset.touched = '';
  delete form.dataset.unsent;
  sessionStorage[keyOf(form)] = String(fields(form));
  clearTimeout(drafting);
  drafting = setTimeout(saveDraft, wait, form);
  renewForm(form);
}

async function saveDraft(form) {
  const draft = form && sessionStorage[keyOf(form)];
  if (!draft) return;
  clearTimeout(drafting);
  const keepalive = draft.length < 60000; // a browser lets no more outlive the page
  const res = await fetch('/draft', { method: 'POST', body: new URLSearchParams(draft), keepalive }).catch(() => null);
  if (res?.ok && sessionStorage[keyOf(form)] === draft) sessionStorage.removeItem(keyOf(form));
}

// restore fills in what the server does not have.
function restore(form) {
  const saved = new URLSearchParams(sessionStorage[keyOf(form)] ?? '');
  if (!saved.size) return;
  for (const el of form.elements) {
    if (el.type === 'radio' || el.type === 'checkbox') el.checked = saved.getAll(el.name).includes(el.value);
    else if (el.tagName === 'TEXTAREA') el.value = saved.get(el.name) ?? '';
  }
  touch(form);
}

function forget(form) {
  clearTimeout(drafting);
  delete form.dataset.touched;
  sessionStorage.removeItem(keyOf(form));
}

addEventListener('pagehide', () => saveDraft(openForm()));

// ---- The form

const main = (form) => form.querySelector('button.main');

// controlsOf returns a question's controls, without its note, its files and its follow-ups.
const controlsOf = (field) => [...field.querySelectorAll(':is(input, textarea):not(.more *)')]
  .filter((el) => el.closest('fieldset') === field);
const chosen = ':checked:not([value=""], [value="other"])';
const answered = (field) => controlsOf(field)
  .some((el) => el.matches(`${chosen}, textarea:not(:placeholder-shown)`) && el.checkVisibility());
const questions = (form) => [...form.querySelectorAll('fieldset.field')].filter((field) => field.checkVisibility());

// liveField returns the question that keys answer: the one with the focus, or else the first
// without an answer.
function liveField(form) {
  const all = questions(form);
  return document.activeElement.closest('fieldset.field') ?? all.find((f) => !answered(f)) ?? all[0];
}

// renewForm marks the question that keys answer, and names on the button what it sends.
function renewForm(form) {
  const all = questions(form), live = liveField(form);
  for (const field of form.querySelectorAll('fieldset.field')) field.classList.toggle('live', field === live);
  const input = all.length === 1 && controlsOf(all[0]).find((el) => el.matches('[type="radio"]' + chosen));
  const label = input && input.closest('label').querySelector('span').firstChild.textContent.trim();
  if (!('prove' in form.dataset)) main(form).textContent = label ? texts.sends.replace('%s', () => label) : texts.send;
}

for (const type of ['focusin', 'focusout']) {
  pane.addEventListener(type, () => { if (openForm()) renewForm(openForm()); });
}

pane.addEventListener('input', ({ target }) => {
  const { form, type } = target, option = target.closest('.option');
  if (!form?.matches('[action="/answer"]') || type === 'file') return;
  for (const el of option?.querySelectorAll(':scope > :is(.own, .follow)') ?? []) if (target.checked) place(el);
  touch(form, type === 'textarea' ? 500 : 50);
  if (target.matches('[type="checkbox"][value="other"]:checked')) option.querySelector('.own').focus();
});

// A fold is a question's note and files, or a way to end the card. Opened, its field has the focus.
const panelOf = (way) => way.parentElement.querySelector('.panel.' + way.classList[1]);
const wayOf = (panel) => panel.parentElement.querySelector('.way.' + panel.classList[1]);

function unfold(fold) {
  if (!fold) return;
  fold.open = true;
  const part = fold.matches('.way') ? panelOf(fold) : fold;
  if (part !== fold) place(part);
  part.querySelector('textarea').focus();
  part.scrollIntoView({ block: 'nearest' });
}

pane.addEventListener('toggle', ({ target }) => {
  if (target.matches('.way, .more') && target.open && target.contains(document.activeElement)) unfold(target);
}, true);

// refill has the server fill in a part of the form, by the id of its element.
async function refill(form, url, body, id) {
  const { ok, page } = await load(url, body), fresh = page.getElementById(id), old = $(id);
  const fault = fresh?.closest('.field').querySelector(':scope > .fault');
  if (!fresh || fault) showNotice(fault?.textContent ?? reasonOf(page), true);
  if (!fresh || !old) return false;
  old.replaceWith(fresh);
  place(fresh);
  touch(form);
  return ok;
}

// ---- Files

let uploading = null; // whether the files under way arrive

function attach(input, files) {
  const { form } = input, { id } = input.closest('.files'), before = uploading;
  const large = files.find((file) => file.size > texts.most);
  if (large) return showNotice(texts.large.replace('%s', () => large.name), true);
  input.closest('.more').open = true;
  const now = uploading = (async () => {
    const earlier = await (before ?? true), body = new FormData(form);
    for (const file of files) body.append(input.name, file);
    const ok = await refill(form, '/attach', body, id);
    if (uploading === now) uploading = null;
    return earlier && ok;
  })();
}

// takeFiles attaches the files of a paste or a drop to the question that it is at, or that keys
// answer.
function takeFiles(event, { files }) {
  const form = openForm(), field = form && (event.target.closest?.('fieldset.field') ?? liveField(form));
  const input = field?.querySelector(':scope > .more [type="file"]');
  delete form?.dataset.drop;
  if (!files.length) return;
  event.preventDefault();
  if (input) attach(input, [...files]);
}

document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event;
  const text = target.matches('textarea, input') && clipboardData.types.includes('text/plain');
  if (!text) takeFiles(event, clipboardData);
});
document.addEventListener('drop', (event) => takeFiles(event, event.dataTransfer));
document.addEventListener('dragover', (event) => {
  if (!event.dataTransfer.types.includes('Files')) return;
  event.preventDefault();
  if (openForm()) openForm().dataset.drop = '';
});
document.addEventListener('dragleave', ({ relatedTarget }) => { if (!relatedTarget) delete openForm()?.dataset.drop; });

pane.addEventListener('change', ({ target }) => {
  if (target.type !== 'file') return;
  attach(target, [...target.files]);
  target.value = '';
});

// ---- Sending

document.addEventListener('submit', (event) => {
  const form = event.target, { submitter } = event;
  event.preventDefault();
  if (form === filter) renew().then(() => open(list.querySelector('li:not([hidden]) a')));
  else if (form.matches('[role="search"]')) visit('/history?' + fields(form));
  else if (form.matches('[data-post]')) post(form);
  else if (submitter?.name === 'recall') recall(form, submitter);
  else if (submitter?.name) send(submitter);
});

// recall takes the earlier answer to a question.
async function recall(form, button) {
  await refill(form, '/recall', fields(form, button), button.closest('fieldset').id);
  current().focus();
}

// reasonOf is what a page says that refuses a request.
const reasonOf = (page) => [...page.querySelectorAll('#none > p:first-of-type, #none > pre')]
  .map((el) => el.textContent).join(' ') || texts.unreached;

// post sends a form that lifts a limit or reopens a question.
async function post(form) {
  const { ok, page } = await load(form.action, fields(form));
  if (!ok) return showNotice(reasonOf(page), true);
  if (dialog.open) dialog.close();
  renewList(page);
  if (form.matches('.again')) return show(page, 'pushState');
  current().focus();
  renewCard(page);
}

// prove has the user sign an answer, and returns the form with the signature.
async function prove(body, { dataset: { sign, at } }) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(sign));
  body.set('proof', JSON.stringify(await navigator.credentials.get({ publicKey })));
  body.set('at', at);
  return body;
}

async function send(button) {
  const { form } = button;
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  delete form.dataset.unsent;
  const arrived = await (uploading ?? true); // a file that does not was meant to go along
  const body = fields(form, button), sent = String(body);
  let result = arrived && await load('/answer', body), refused = '';
  if (result.status === 0 && !result.redirected) result = await load('/answer', body); // the same reply counts once
  const ask = result && result.page.querySelector('[data-sign]');
  if (ask) {
    result = await prove(body, ask).then((signed) => load('/answer', signed))
      .catch((error) => { refused = error.message; });
  }
  form.ariaBusy = null;
  if (refused) showNotice(texts.unsent.replace('%s', () => refused), true); // the user said no, or took too long
  if (result) showResult(form, button, sent, result);
}

// showResult shows what became of an answer.
function showResult(form, button, sent, { ok, status, redirected, page }) {
  const fresh = page.querySelector('.card'), here = form.isConnected;
  if (redirected && !ok) { // it was sent, and the page did not arrive
    forget(form);
    renew();
  } else if (ok) {
    forget(form);
    renewList(page);
    if (here) show(page, listed() ? null : 'replaceState'); // the user may have gone back to the list
  } else if (here && fresh) {
    if (fresh.matches('.ended')) forget(form);
    show(page, 'replaceState');
    current().querySelector('.refused a')?.focus();
  } else if (fresh) { // the user is at another question by now
    showNotice(fresh.dataset.notice ?? fresh.querySelector('.refused').textContent, true);
  } else {
    showUnsent(form, texts.unsent.replace('%s', () => reasonOf(page)));
    if (here && (status === 0 || status === 503) && !('prove' in form.dataset)) sendLater(form, button, sent);
  }
}

// showUnsent says in a form that it was not sent, and in a notice where that is out of sight.
function showUnsent(form, words) {
  const refused = form.querySelector('.refused');
  if (refused.textContent !== words) refused.replaceChildren(paragraph(words));
  const above = refused.getBoundingClientRect().top < document.querySelector('.bar').offsetHeight;
  if (!form.isConnected || above) showNotice(words, true);
}

// sendLater sends an answer again that the server did not take, unless the user has changed it.
function sendLater(form, button, sent) {
  form.dataset.unsent = '';
  const isSame = () => form.isConnected && 'unsent' in form.dataset && String(fields(form, button)) === sent;
  setTimeout(() => { if (isSame()) send(button); }, 4000);
}

// showNotices shows notices for ten seconds.
let toast = 0;

function showNotices(...notices) {
  news.replaceChildren(...notices);
  clearTimeout(toast);
  toast = setTimeout(() => news.replaceChildren(), 10000);
}

const paragraph = (textContent, className = '') =>
  Object.assign(document.createElement('p'), { textContent, className });
const showNotice = (words, late = false) => showNotices(paragraph(words, late ? 'notice late' : 'notice'));

// ---- Views

// The list, a card, the history: each has an address, and an entry in the browser's history.

let latestVisit = 0; // counts visits: the last one counts

// visit shows the view at an address. how: the method of history that enters it; empty where it is
// entered.
async function visit(url, how = dialog.open ? 'replaceState' : 'pushState') {
  if (!url) return;
  const { pathname, search, searchParams } = new URL(url, location), id = searchParams.get('id');
  const turn = ++latestVisit;
  const known = pathname === '/' && (searchParams.has('list') || id && id === current()?.dataset.id);
  saveDraft(openForm());
  const { ok, page } = known ? { ok: true } : await load(pathname + search);
  if (turn !== latestVisit) return;
  if (!ok) return showNotice(reasonOf(page), true);
  if (pathname === '/' && dialog.open) dialog.close();
  if (!known && pathname === '/') return show(page, how, page.body.dataset.view);
  if (how) history[how](null, '', pathname + search);
  if (!known) return openDialog(page);
  document.body.dataset.view = id ? 'one' : 'list';
  place(document.body);
  (id ? current() : $('count')).focus();
}

// open shows the question of a link in the list. Beside the list, its first control has the focus.
async function open(a) {
  if (a) await visit(a.href);
  const form = a && wide.matches && openForm();
  if (form && questions(form).length) focusField(questions(form)[0]);
}

addEventListener('popstate', ({ state }) => visit(state?.here ?? location.href, ''));

// openDialog shows the history, or the keys.
function openDialog(page) {
  dialog.querySelector('div').replaceChildren(...page.querySelector('main').childNodes);
  dialog.ariaLabel = dialog.querySelector('h1').textContent;
  if (!dialog.open) dialog.showModal();
  place(dialog);
  dialog.querySelector('input[type=search]')?.focus();
}

dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  history.back();
});

// show puts the card of a page, or what it shows where nothing waits, into the pane. how: see visit;
// null where the user stays where they are.
function show(page, how, view = page.querySelector('.card') ? 'one' : 'list') {
  const fresh = page.querySelector('#pane').firstElementChild, { id } = fresh.dataset;
  if (id !== current()?.dataset.id) scrollTo(0, 0);
  pane.replaceChildren(fresh);
  place(fresh);
  markCurrent();
  entry(id)?.scrollIntoView({ block: 'nearest' });
  prepare(fresh);
  if (how === null) return;
  document.body.dataset.view = view;
  if (how) history[how](null, '', id ? '/?id=' + id : '/');
  if (listed()) $('count').focus();
  else fresh.focus();
}

// prepare readies a new card for this script.
function prepare(card) {
  const form = formIn(card);
  ages();
  awaitEnd(form);
  if (!form) return;
  form.noValidate = true; // the server says what is missing, beside the question
  for (const el of card.querySelectorAll('.previews > .option > .preview')) el.open ||= innerWidth >= 1024;
  restore(form);
  renewForm(form);
}

// awaitEnd notes when a question whose answer is signed was scrolled from its top to its end: a
// key that chooses an option leaps over what is above it.
function awaitEnd(form) {
  const whole = form?.elements.whole;
  let seen = 0; // from the top of the form
  onscroll = whole && (() => {
    const { top, height } = form.getBoundingClientRect();
    if (-top <= seen) seen = Math.max(seen, innerHeight - top);
    if (height && seen > height - 1) whole.value = 'yes';
  });
  if (whole) new ResizeObserver(onscroll).observe(form);
}

// ---- Live updates

const overruled = new Set(); // records whose answer here did not count, to be told
let due = null; // the renewal that has not begun
let shown = 0; // counts the lists shown: what was requested before the latest one is out of date
let renewing = Promise.resolve();

// renew brings the page up to date, with one request at a time for all that happened.
function renew() {
  return due ??= renewing = renewing.then(() => new Promise((done) => setTimeout(done, 20))).then(update, update);
}

async function update() {
  due = null;
  const turn = shown, id = current()?.dataset.id ?? '';
  const query = new URLSearchParams({ id, filter: filter.elements.filter.value });
  const told = [...overruled];
  for (const other of told) query.append('ended', other);
  const { ok, status, page } = await load('/?' + query);
  if (!ok && status) showTrouble(status === 401 ? texts.ended : texts.failed);
  if (turn !== shown) {
    renew();
    return;
  }
  if (!ok) return;
  for (const other of told) overruled.delete(other);
  saveDraft(openForm());
  renewList(page);
  if (id === (current()?.dataset.id ?? '')) await renewCard(page);
  ages();
}

// renewList shows the list of a page, and its notices.
function renewList(page) {
  const fresh = page.querySelector('#list'), notices = page.querySelectorAll('.notice');
  const added = [...fresh.children].filter((li) => li.dataset.id > list.dataset.last);
  shown++;
  if (notices.length) showNotices(...notices);
  else added.forEach(announce);
  if (list.innerHTML !== fresh.innerHTML) {
    const id = list.contains(document.activeElement) && document.activeElement.closest('li').dataset.id;
    list.replaceChildren(...fresh.children);
    place(list);
    markCurrent();
    entry(id)?.querySelector('a').focus({ preventScroll: true });
  }
  list.dataset.last = fresh.dataset.last;
  $('more').replaceChildren(...page.querySelector('#more').childNodes);
  $('count').textContent = page.getElementById('count').textContent;
  filter.hidden = page.getElementById('filter').hidden;
  document.title = page.title;
}

// markCurrent marks the entry of the card in sight.
function markCurrent() {
  for (const a of list.querySelectorAll('[aria-current]')) a.removeAttribute('aria-current');
  entry(current()?.dataset.id)?.querySelector('a').setAttribute('aria-current', 'true');
}

// announce notifies the user of a new question.
function announce({ dataset, children }) {
  showNotice(dataset.news);
  if (document.visibilityState === 'visible' || !('Notification' in window)) return;
  if (Notification.permission !== 'granted') return;
  const body = children[1].querySelector('.subject').textContent;
  const note = new Notification(dataset.asks, { body, tag: dataset.id, icon: '/assets/favicon.svg' });
  note.onclick = () => { focus(); visit('/?id=' + dataset.id); note.close(); };
}

// renewCard brings the card up to date with that of a page.
async function renewCard(page) {
  const card = current(), form = formIn(card), fresh = page.querySelector('.card');
  const used = card?.querySelector(':focus');
  if (!card && fresh) return show(page, 'replaceState');
  if (!form || fresh?.dataset.id !== card.dataset.id || form.ariaBusy || 'unsent' in form.dataset) return;
  if (fresh.matches('.ended')) return showEnded(form, page, used);
  if (!('touched' in form.dataset) && form.dataset.draft !== formIn(fresh).dataset.draft) {
    show(page, null);
    if (used) current().focus();
    return;
  }
  for (const part of card.querySelectorAll('[data-part]')) {
    const other = fresh.querySelector(`[data-part="${part.dataset.part}"]`), { offsetHeight } = part;
    if (!other || part.innerHTML === other.innerHTML || part.contains(document.activeElement)) continue;
    for (const { value } of part.querySelectorAll(':checked')) {
      other.querySelector(`[value="${value}"]`)?.setAttribute('checked', '');
    }
    part.replaceWith(other);
    if (other.offsetHeight !== offsetHeight) placeAfter(other, card);
  }
}

// placeAfter notes that what follows an element in a card has moved.
function placeAfter(el, card) {
  for (; el !== card; el = el.parentElement) {
    for (let next = el.nextElementSibling; next; next = next.nextElementSibling) place(next);
  }
}

// showEnded shows the outcome of a record, and what the user had filled in. Where the user has
// not begun, the next question takes its place.
async function showEnded(form, page, used) {
  showNotice(page.querySelector('.card').dataset.notice, true);
  const touched = 'touched' in form.dataset, mine = touched && (await load('/draft', fields(form))).page;
  forget(form);
  if (!form.isConnected) return;
  if (touched || used) show(mine && mine.querySelector('.card.ended') ? mine : page, 'replaceState');
  else visit('/', 'replaceState');
}

// A browser opens few connections to one server, so one tab listens for all.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = ({ data }) => onEvent(data);

function showTrouble(words) {
  if (trouble.hidden === !words) return;
  trouble.textContent = words;
  trouble.hidden = !words;
  place(document.body);
}

function onEvent({ lost, later, id }) {
  showTrouble(lost ? texts.lost : '');
  document.documentElement.dataset.live = lost ? 'no' : 'yes';
  if (later) overruled.add(id);
  renew(); // which says why, where the server responds
}

function listen() {
  const source = new EventSource('/api/events');
  const pass = (event) => { onEvent(event); tabs.postMessage(event); };
  source.onopen = () => pass({});
  source.onerror = () => {
    pass({ lost: true });
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  };
  for (const type of ['request', 'response', 'cancel', 'change']) {
    source.addEventListener('ask:question:' + type, ({ data }) => {
      const { id, later } = JSON.parse(data);
      pass({ id, later });
    });
  }
}

addEventListener('pageshow', ({ persisted }) => { if (persisted) renew(); }); // from the browser's cache

// ---- Keys

// Letters act with Alt, where the terminal's forms have Ctrl: a browser keeps those for itself.
const acts = {
  x: (form) => unfold(form?.querySelector('.way.dismiss')),
  d: (form) => unfold(form?.querySelector('.way.discuss')),
  n: (form) => unfold(form && liveField(form)?.querySelector(':scope > .more')),
  r: (form) => ((form && liveField(form)) ?? pane).querySelector('[name=recall], .again button')?.click(),
};

document.addEventListener('keydown', (event) => {
  const { target, key } = event, command = event.ctrlKey || event.metaKey, form = openForm();
  const alt = event.altKey && !command && !event.getModifierState('AltGraph');
  const act = alt && acts[event.code.slice(3).toLowerCase()];
  const typing = target.matches('textarea, input:is([type="search"], [type="text"])');
  if (event.defaultPrevented || event.altKey && !act || event.isComposing || dialog.open) return;
  if (act) {
    event.preventDefault();
    act(form);
  } else if (key === 'Enter') {
    const own = !command && target.matches('a, button, summary');
    if (!form || own || filter.contains(target) || isNewLine(event)) return;
    event.preventDefault();
    const panel = target.closest('.panel');
    if (command || panel) form.requestSubmit(panel?.querySelector('button') ?? main(form));
    else nextOrSend(form);
  } else if (key === 'Escape') {
    goBack(target, typing);
  } else if (typing || command) {
    return;
  } else if (key === 'j' || key === 'k') {
    const all = [...list.querySelectorAll('li:not([hidden])')];
    visit(all[all.indexOf(entry(current()?.dataset.id)) + (key === 'j' ? 1 : -1)]?.querySelector('a').href);
  } else if (key === '/' && !filter.hidden) {
    event.preventDefault();
    if (!wide.matches) visit('/?list');
    filter.elements.filter.focus();
  } else if (key === '?') {
    visit('/keys');
  } else if (form && chooseByKey(form, key)) {
    event.preventDefault();
  }
});

// goBack goes from a panel, a text field or the filter, which it clears, to the card, and else to
// the list.
function goBack(target, typing) {
  const panel = target.closest('.panel');
  if (panel) wayOf(panel).open = false;
  if (target.type === 'search') {
    target.value = '';
    renew();
  }
  if (typing) current()?.focus();
  else entry(current()?.dataset.id)?.querySelector('a').focus();
}

// nextOrSend focuses the next question without an answer. It sends where none is left, or only
// optional ones before this one.
function nextOrSend(form) {
  const all = questions(form), here = all.indexOf(document.activeElement.closest('fieldset.field'));
  const next = all.slice(here + 1).find((f) => !answered(f)) ??
    all.find((f) => !answered(f) && !f.querySelector(':scope > legend .need'));
  if (!next) form.requestSubmit(main(form));
  else if (next !== all[here]) focusField(next);
}

// focusField focuses the first control of a question, or an element that has none.
const focusField = (field) => (controlsOf(field)[0] ?? field).focus();

// chooseByKey clicks the option of a key, in the question that keys answer.
function chooseByKey(form, key) {
  const field = liveField(form), all = field ? controlsOf(field).filter((el) => el.dataset.cap) : [];
  const input = all.find((el) => el.dataset.cap === key.toUpperCase()) ?? all[key - 1];
  input?.click();
  (input?.value === 'other' && input.checked ? input.closest('.option').querySelector('.own') : input)?.focus();
  return input;
}

// ---- What else the page shows

// inWords returns a function that words a duration like the examples, which are words.Ago's or
// words.Left's: one for less than each limit, counted in units. All are in ms.
const inWords = (round, limits, units, examples) => (ms) => {
  const i = limits.findIndex((limit) => ms < limit);
  return examples[i].replace(/\d+/, round(ms / units[i]));
};
const min = 60_000, hour = 60 * min, day = 24 * hour;
const ago = inWords(Math.floor, [min, hour, 2 * day, Infinity], [1, min, hour, day], texts.ages);
const left = inWords(Math.ceil, [1, min + 1, hour + 1, Infinity], [1, 1000, min, hour], texts.lefts);

function ages() {
  for (const el of document.querySelectorAll('time[data-ago], time[data-left]')) {
    const ms = Date.parse(el.dateTime) - Date.now(), text = 'ago' in el.dataset ? ago(-ms) : left(ms);
    if (el.textContent !== text) el.textContent = text;
    if ('left' in el.dataset) el.parentElement.classList.toggle('soon', ms < 20_000);
  }
}

setInterval(ages, 1000);

// Notifications, for those who ask for them.
function offerNotifications() {
  $('notify').hidden = !('Notification' in window) || Notification.permission !== 'default';
}

$('notify').addEventListener('click', () => Notification.requestPermission().then(offerNotifications));
filter.addEventListener('input', renew);

// Links lead to pages of their own; with this script they open in this one.
document.addEventListener('click', (event) => {
  const ours = '#list a, .back, [data-dialog], [data-remove], [data-close], #dialog a:not([target]), .refused a';
  const at = event.target.closest(ours);
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const field = at.closest('.refused') && $(at.hash.slice(1));
  if ('close' in at.dataset) history.back();
  else if (field) focusField(field);
  else if (at.closest('#list')) open(at);
  else visit(at.href, 'remove' in at.dataset ? 'replaceState' : undefined);
});

place(document.body);
if (current()) prepare(current());
// The first address may name no card; a way back to it leads to the one that it showed.
if (current() && !listed()) history.replaceState({ here: '/?id=' + current().dataset.id }, '');
offerNotifications();
ages();
if (navigator.locks) navigator.locks.request('askuser', () => { listen(); return new Promise(() => {}); });
else listen();
renew();
