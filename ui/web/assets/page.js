// Keeps the page live. Everything it does for answering works without it.
//
// The server renders: this script asks it for the same pages that a browser without
// scripts gets, and puts the entries of their list and their card in place. It keeps no
// answers but those in the form. A form that the human is filling in is never replaced:
// only the parts of its card with data-part are renewed.
'use strict';

const $ = (id) => document.getElementById(id);
const list = $('list'), pane = $('pane'), news = $('news'), trouble = $('trouble'), dialog = $('dialog'), notify = $('notify'), filter = $('filter');
const texts = JSON.parse($('texts').textContent); // what this script says, in the language of the page

// load requests a page, with a form if there is one to send, and returns its status, 0 if it
// did not arrive, and its document.
async function load(url, body) {
  const res = await fetch(url, { method: body ? 'POST' : 'GET', body, headers: { 'X-Script': '1' }, cache: 'no-store' }).catch(() => null);
  const text = await res?.text().catch(() => null) ?? null;
  return { ok: text !== null && res.ok, status: text === null ? 0 : res.status, page: new DOMParser().parseFromString(text ?? '', 'text/html') };
}

const fields = (form, button) => new URLSearchParams([...new FormData(form, button)].filter(([, value]) => typeof value === 'string'));
const entry = (id) => list.querySelector(`[data-id="${id}"]`);
const isOpen = (li) => li && li.isConnected && !li.matches('.gone');
const isListed = (li) => isOpen(li) && !li.hidden; // the filter fits it
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
function saveForm(form, draft) {
  try { sessionStorage[key(form)] = JSON.stringify([draft, String(fields(form))]); } catch { /* storage is full or switched off: the page still works */ }
}

function forgetForm(form) {
  clearTimeout(drafts.get(form));
  drafts.delete(form);
  delete form.dataset.begun;
  try { sessionStorage.removeItem(key(form)); } catch { /* as above */ }
}

// restore fills a form in as it was kept, unless the server has a newer draft.
function restoreForm(form) {
  let draft, saved;
  try { [draft, saved] = JSON.parse(sessionStorage.getItem(key(form))) ?? []; } catch { /* as above */ }
  if (!saved || draft !== null && draft !== form.dataset.draft) return;
  form.dataset.begun = '';
  if (draft === null) drafts.set(form, 0);
  saved = new URLSearchParams(saved);
  for (const el of form.elements) {
    if (el.type === 'radio' || el.type === 'checkbox') el.checked = saved.getAll(el.name).includes(el.value);
    else if (el.tagName === 'TEXTAREA') el.value = saved.get(el.name) ?? '';
  }
  for (const el of form.querySelectorAll(':is(.note, .panel):has(textarea:not(:placeholder-shown))')) (wayOf(el) ?? el).open = true;
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
  if ('begun' in form.dataset) saveForm(form, form.dataset.draft);
}

const sendDrafts = () => [...drafts.keys()].forEach(sendDraft);
addEventListener('pagehide', sendDrafts);

pane.addEventListener('input', ({ target }) => {
  const { form, name, type } = target;
  if (target.closest('.narrow')) narrow(target);
  if (!form?.matches('[action="/answer"]')) return;
  form.dataset.begun = '';
  if (name !== 'also') {
    clearTimeout(drafts.get(form));
    drafts.set(form, setTimeout(() => sendDraft(form), type === 'textarea' ? 500 : 50));
  }
  saveForm(form, drafts.has(form) ? null : form.dataset.draft);
  renewForm(form);
});
for (const type of ['focusin', 'focusout']) pane.addEventListener(type, () => { if (openForm()) renewForm(openForm()); });

// ---- Keys

const main = (form) => form.querySelector('button.main');

// controlsOf returns a question's controls, without its filter, its note and its follow-ups.
const controlsOf = (field) => [...field.querySelectorAll(':is(input, textarea):not(.note *, .narrow *)')].filter((el) => el.closest('fieldset') === field);
const answered = (field) => controlsOf(field).some((el) => el.matches(':checked:not([value=""], [value="other"]), textarea:not(:placeholder-shown)') && el.checkVisibility());
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
  const [input] = all.length === 1 ? controlsOf(all[0]).filter((el) => el.matches('[type="radio"]:checked:not([value=""], [value="other"])')) : [];
  const label = input?.closest('label').querySelector('span').firstChild.textContent.trim();
  if (!('prove' in form.dataset)) main(form).textContent = label ? texts.sends.replace('%s', () => label) : texts.send;
}

// A panel is what a way to end a question opens: wayOf and panelOf return each other.
const wayOf = (panel) => panel.parentElement.querySelector('.way.' + panel.classList[1]);
const panelOf = (way) => way.parentElement.querySelector('.panel.' + way.classList[1]);

// unfold opens a way to end a question, or a note, and focuses its field.
function unfold(details) {
  if (!details) return;
  details.open = true;
  const part = details.matches('.way') ? panelOf(details) : details;
  scrolling(() => {
    part.querySelector('textarea').focus({ preventScroll: true });
    part.scrollIntoView({ block: 'nearest' });
  });
}

pane.addEventListener('click', (event) => {
  const details = event.target.closest('summary')?.closest('.way, .note');
  if (!details || details.open) return;
  event.preventDefault();
  unfold(details);
});

// focusField focuses the first control of a question, or an element that has none.
function focusField(field) {
  if (field) (controlsOf(field)[0] ?? field).focus();
}

// numbered returns the controls of a question's options that have a number.
const numbered = (field) => controlsOf(field).filter((el) => el.dataset.cap && el.value !== 'other');

// narrow hides the options that do not contain the text of a filter and are not chosen.
function narrow({ parentElement, value }) {
  for (const el of numbered(parentElement.parentElement)) {
    el.closest('.option').hidden = !el.checked && !el.closest('.row').textContent.toLowerCase().includes(value.trim().toLowerCase());
  }
}

// clearFilter shows all that a filter has hidden.
function clearFilter(input) {
  input.value = '';
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

// Letters are keys where nothing is typed, and these with Alt everywhere. A browser keeps most
// keys with Ctrl for itself.
const anywhere = {
  x: (form) => unfold(form?.querySelector('.way.dismiss')),
  d: (form) => unfold(form?.querySelector('.way.discuss')),
  n: (form) => unfold(form && liveField(form)?.querySelector(':scope > .note')),
  r: (form) => form && (liveField(form) ?? form).querySelector('[name=recall]')?.click(),
};

document.addEventListener('keydown', (event) => {
  const { target } = event, command = event.ctrlKey || event.metaKey, form = openForm();
  const typing = target.matches('textarea, input[type="search"]');
  const alt = event.altKey && !command && !event.getModifierState('AltGraph') && anywhere[event.code.slice(3).toLowerCase()];
  const key = event.ctrlKey && event.key === 'n' ? anywhere.n : alt || event.key; // where the browser gives Ctrl+N away
  if (event.defaultPrevented || event.altKey && !alt || event.isComposing || document.querySelector('dialog[open]')) return;
  if (typeof key === 'function') {
    event.preventDefault();
    key(form);
  } else if (key === 'Enter') {
    if (!form || filter.contains(target) || isNewLine(event) || !command && target.matches('a, button, summary')) return;
    event.preventDefault();
    const panel = target.closest('.panel');
    if (command || panel) form.requestSubmit(panel?.querySelector('button') ?? main(form));
    else if (target.closest('.narrow')) controlsOf(target.closest('fieldset')).find((el) => !el.checked && el.checkVisibility())?.focus();
    else nextOrSend(form);
  } else if (key === 'Escape') {
    goBack(target, typing);
  } else if (typing || command) {
    return;
  } else if (key === 'j' || key === 'k') {
    const all = [...list.children].filter(isListed), next = all[all.indexOf(entry(current()?.dataset.id)) + (key === 'j' ? 1 : -1)];
    if (next) show(next.dataset.id);
  } else if (key === '/') {
    event.preventDefault();
    const own = form && !list.contains(target) && liveField(form)?.querySelector(':scope > .narrow input');
    if (!own && !wide.matches) showList();
    (own || filter.elements.filter).focus();
  } else if (key === '?') {
    openDialog('/keys');
  } else if (key === 'x' || key === 'd') {
    event.preventDefault();
    anywhere[key](form);
  } else if (key === 'r') {
    pane.querySelector('.ended .again button')?.click();
  } else if (form && chooseByKey(form, key)) {
    event.preventDefault();
  }
});

// goBack goes from a panel, a text field or a filter, which it clears, to the question, and else
// to the list.
function goBack(target, typing) {
  const panel = target.closest('.panel');
  if (panel) wayOf(panel).open = false;
  if (target.type === 'search') clearFilter(target);
  if (typing) current()?.focus();
  else entry(current()?.dataset.id)?.querySelector('a').focus();
}

// nextOrSend focuses the next question without an answer. It sends where none is left, or
// only optional ones before this one.
function nextOrSend(form) {
  const all = questions(form), here = all.indexOf(document.activeElement.closest('fieldset.field'));
  const next = all.slice(here + 1).find((f) => !answered(f)) ??
    all.find((f) => !answered(f) && !f.querySelector(':scope > legend .need'));
  if (!next) form.requestSubmit(main(form));
  else if (next !== all[here]) focusField(next);
}

// The option whose number the last keys have spelled.
let spelled;

// chooseByKey clicks the option of a key, in the question with the focus or else the first
// without an answer. Of more than nine options it only goes there, where several may be chosen.
function chooseByKey(form, key) {
  const field = liveField(form), all = field ? numbered(field) : [];
  const input = spelled = all[10 * all.indexOf(spelled) + 9 + parseInt(key)] ?? all[key - 1] ?? (field && controlsOf(field).find((el) => el.dataset.cap === key.toUpperCase()));
  if (input?.closest('.option').hidden) clearFilter(field.querySelector('.narrow input'));
  if (!all[9] || input?.type === 'radio') input?.click();
  (input?.value === 'other' && input.checked ? input.closest('.option').querySelector('.own') : input)?.focus();
  return input;
}

// recall has the server fill in the earlier answer to a question.
async function recall(button) {
  const { form } = button, { id } = button.closest('fieldset'), { ok, page } = await load('/recall', fields(form, button));
  const fresh = page.getElementById(id);
  if (!fresh) return ok ? reconcile() : showNotice(reasonOf(page), true);
  $(id)?.replaceWith(fresh);
  form.elements.id.dispatchEvent(new Event('input', { bubbles: true }));
  focusField(fresh);
}

// ---- Files

let uploads = 0; // requests that have not ended
let attached = Promise.resolve(true); // whether all of these have succeeded

// attach has the server keep files, with one request at a time, and renews the files of a
// question.
function attach(input, files) {
  const { form } = input, { id } = input.closest('.files'), large = files.find((file) => file.size > texts.most);
  if (large) return showNotice(texts.large.replace('%s', () => large.name), true);
  if (!uploads++) attached = Promise.resolve(true);
  attached = attached.then(async (before) => {
    const body = new FormData(form);
    for (const file of files) body.append(input.name, file);
    const { ok, page } = await load('/attach', body), fresh = page.getElementById(id), old = $(id);
    uploads--;
    if (!fresh || !old) return ok ? reconcile() : showNotice(reasonOf(page), true);
    const fault = fresh.parentElement.querySelector(':scope > .fault');
    if (fault) showNotice(fault.textContent, true);
    for (const el of old.querySelectorAll('[type="checkbox"]:not(:checked)')) [...fresh.querySelectorAll('[type="checkbox"]')].find((x) => x.value === el.value)?.removeAttribute('checked');
    old.replaceWith(fresh);
    form.elements.id.dispatchEvent(new Event('input', { bubbles: true }));
    return before && ok;
  });
}

// takeFiles attaches the files of a paste or a drop to the question that it is at, or that keys
// answer.
function takeFiles(event, { files }) {
  const form = openForm(), field = form && (event.target.closest?.('fieldset.field') ?? liveField(form));
  const input = field?.querySelector(':scope > .files [type="file"]');
  delete form?.dataset.drop;
  if (!files.length) return;
  event.preventDefault();
  if (input) attach(input, [...files]);
}

document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event;
  if (!target.matches('textarea, input') || !clipboardData.types.includes('text/plain')) takeFiles(event, clipboardData);
});
document.addEventListener('drop', (event) => takeFiles(event, event.dataTransfer));
document.addEventListener('dragover', (event) => {
  if (!event.dataTransfer.types.includes('Files')) return;
  event.preventDefault();
  if (openForm()) openForm().dataset.drop = '';
});
document.addEventListener('dragleave', ({ relatedTarget }) => { if (!relatedTarget) delete openForm()?.dataset.drop; });

pane.addEventListener('change', ({ target }) => {
  if (target.type === 'file') {
    attach(target, [...target.files]);
    target.value = '';
  }
  if (target.matches('[type="checkbox"][value="other"]:checked')) target.closest('.option').querySelector('.own').focus();
});

// ---- Sending

// Sent answers whose result was not shown yet, by record id: the button that sent them where
// the response was lost, null where the server keeps them and has not sent them yet.
const unresolved = new Map();

document.addEventListener('submit', (event) => {
  const form = event.target;
  event.preventDefault();
  if (form === filter) openFirst();
  else if (form.matches('[role="search"]')) openDialog('/history?' + fields(form));
  else if (form.matches('[data-post]')) post(form);
  else if (event.submitter?.name === 'recall') recall(event.submitter);
  else if (event.submitter?.name) send(event.submitter);
});

// openFirst shows the first question that the filter fits.
async function openFirst() {
  const page = await update(''), first = page?.querySelector('#list > :not([hidden])');
  if (first) show(first.dataset.id, { control: wide.matches });
}

// post sends a form that lifts a limit or reopens a question.
async function post(form) {
  const { ok, page } = await load(form.action, fields(form));
  dialog.close();
  if (!ok) return showNotice(reasonOf(page), true);
  if (form.matches('.again')) place(page);
  else autoFocus(form.closest('.card') ?? $('count'));
  showNotices(...page.querySelectorAll('.notice'));
  reconcile();
}

// why is the reason that the server gives on a page that refuses a request.
const reasonOf = (page) => [...page.querySelectorAll('#none > p:first-of-type, #none > pre')].map((el) => el.textContent).join(' ') || texts.unreached;

// sendAgain sends what the shared desk did not take, unless the human has done something else.
function sendAgain(form, button, sent) {
  if (form.isConnected && unresolved.get(form.elements.id.value) === button && `${fields(form, button)}` === sent) send(button);
}

async function send(button) {
  const { form } = button, { value: id } = form.elements.id, card = form.closest('.card');
  if (form.ariaBusy) return;
  form.ariaBusy = true;
  if (uploads && !await attached) { // the human meant the file to go along
    form.ariaBusy = null;
    return;
  }
  const body = fields(form, button), sent = `${body}`;
  let result = await load('/answer', body);
  const ask = result.page.querySelector('[data-sign]');
  if (ask) {
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(ask.dataset.sign));
      body.set('proof', JSON.stringify(await navigator.credentials.get({ publicKey })));
      body.set('at', ask.dataset.at);
      result = await load('/answer', body);
    } catch (error) { // the human said no, or took too long
      form.ariaBusy = null;
      return showNotice(texts.unsent.replace('%s', () => error.message), true);
    }
  }
  const { ok, status, page } = result;
  form.ariaBusy = null;
  const received = status > 0 && status < 500, lost = !received && !unresolved.has(id);
  if (received) unresolved.delete(id);
  else unresolved.set(id, button);
  if (status === 503) setTimeout(sendAgain, 4000, form, button, sent);
  const fresh = page.querySelector('.card'), unsent = texts.unsent.replace('%s', () => reasonOf(page));
  if (ok) {
    const notices = [...page.querySelectorAll('.notice')];
    forgetForm(form);
    showNotices(...notices);
    if (form.isConnected) goToNext(card, '', ...notices.map((x) => x.dataset.id).filter((x) => !unresolved.has(x)));
  } else if (!form.isConnected) { // the human has gone on to another question
    showNotice(fresh?.dataset.notice ?? fresh?.querySelector('.refused').textContent ?? unsent, true);
  } else if (!fresh) {
    const p = Object.assign(document.createElement('p'), { textContent: unsent });
    form.querySelector('.refused').replaceChildren(p);
    if (p.getBoundingClientRect().top < document.querySelector('.bar').offsetHeight) showNotice(unsent, true); // it is out of sight
  } else if (fresh.matches('.ended')) {
    showEnded(card, fresh);
  } else {
    card.replaceWith(fresh);
    prepare(fresh);
    autoFocus(fresh.querySelector('.refused a') ?? fresh, true);
  }
  if (ok || lost) reconcile();
}

// goToNext retires a card, removes entries from the list, and shows the next question, unless
// the human is at the list and it has one.
function goToNext(card, outcome, ...ended) {
  const next = entryAfter(card);
  for (const id of ended) removeEntry(entry(id));
  retire(card, outcome);
  whenClear(card, () => {
    const id = isListed(next) ? next.dataset.id : '';
    if (card.isConnected && !(listed() && id)) show(id, { push: false, focused: true });
  });
}

// entryAfter returns the entry of the open question after that of a card, else of the one
// before.
function entryAfter({ dataset: { id } }) {
  const all = [...list.children], at = all.indexOf(entry(id));
  return all.slice(at + 1).find(isListed) ?? all.slice(0, Math.max(at, 0)).findLast(isListed);
}

// retire disables a card, which stays in place.
function retire(card, outcome) {
  card.inert = true;
  card.classList.add('gone');
  card.dataset.outcome = outcome;
}

// removeEntry removes an entry from the list, once no pointer is in the way.
function removeEntry(li) {
  if (!isOpen(li)) return;
  order = order.filter((x) => x.dataset.id !== li.dataset.id);
  li.inert = true;
  li.classList.add('gone');
  whenClear(li, () => {
    li.remove();
    headGroups();
  });
}

// showEnded replaces the card of a record by one with its outcome.
function showEnded(card, ended) {
  forgetForm(formIn(card));
  removeEntry(entry(card.dataset.id));
  retire(card, ended.querySelector('.outcome strong').textContent);
  whenClear(card, () => {
    if (!card.isConnected) return;
    card.replaceWith(ended);
    if (document.activeElement === document.body) autoFocus(ended);
  });
}

// showNotices shows notices for ten seconds.
let toast = 0;

function showNotices(...notices) {
  news.replaceChildren(...notices);
  clearTimeout(toast);
  toast = setTimeout(() => news.replaceChildren(), 10000);
}

function showNotice(words, late = false) {
  showNotices(Object.assign(document.createElement('p'), { className: late ? 'notice late' : 'notice', textContent: words }));
}

// ---- Showing

let latestShow = 0; // counts calls of show

// show shows the question with an id in the pane, or the first. push: a new entry in the
// browser's history, false replaces the current one, null leaves it; focused: the human did
// not ask for it; control: focus its first control.
async function show(id, how = {}) {
  const turn = ++latestShow, form = openForm();
  if (id && form?.elements.id.value === id) {
    if (listed() && how.push !== null) history.pushState(null, '', '/?id=' + id);
    return goTo(current(), how);
  }
  const page = await update(id);
  if (page && turn === latestShow) place(page, how);
}

function place(page, how = {}) {
  const fresh = page.querySelector('#pane').firstElementChild, { id = '' } = fresh.dataset, { push = true } = how;
  sendDrafts();
  pane.replaceChildren(fresh);
  for (const a of list.querySelectorAll('[aria-current]')) a.removeAttribute('aria-current');
  entry(id)?.querySelector('a').setAttribute('aria-current', 'true');
  entry(id)?.scrollIntoView({ block: 'nearest' });
  if (push !== null) history[push ? 'pushState' : 'replaceState'](null, '', id ? '/?id=' + id : '/');
  scrollTo(0, 0);
  prepare(fresh);
  goTo(fresh, how);
}

// goTo shows the pane on a small screen and focuses the card, see show.
function goTo(card, { push = true, focused = false, control = false }) {
  const { id } = card.dataset, field = control && card.querySelector('fieldset.field');
  document.body.dataset.view = id ? 'one' : 'list';
  if (field) focusField(field);
  else if (focused) autoFocus(id ? card : $('count'), true);
  else if (push) card.focus();
}

addEventListener('popstate', () => {
  const id = new URLSearchParams(location.search).get('id');
  if (id === null && !wide.matches) document.body.dataset.view = 'list';
  else show(id ?? '', { push: null });
});

// prepare readies a new card for this script.
function prepare(card) {
  const form = formIn(card), { id } = card.dataset;
  if (!form) return;
  if (unresolved.get(id)) unresolved.set(id, form.querySelector(`[value="${unresolved.get(id).value}"]`));
  form.noValidate = true; // the server says what is missing, beside the question
  restoreForm(form);
  for (const el of card.querySelectorAll('.previews > .option > .preview')) el.open ||= innerWidth >= 1024;
  renewForm(form);
  awaitEnd(form);
  ages();
}

// awaitEnd notes when a question whose answer is signed was scrolled from its top to its end: a
// key that chooses an option leaps over what is above it.
function awaitEnd(form) {
  const { elements: { whole } } = form;
  let seen = 0; // from the top of the form
  onscroll = () => {
    const { top, height } = form.getBoundingClientRect();
    if (-top <= seen) seen = Math.max(seen, innerHeight - top);
    if (height && seen > height - 1) whole.value = 'yes';
  };
  if (whole) new ResizeObserver(onscroll).observe(form);
  else onscroll = null;
}

// ---- Live updates

// update requests the page with a question, and with the results of unresolved answers that
// are not in sight. An answer whose response was lost is sent again when its record has
// ended: the new response has its result.
async function update(id) {
  const query = new URLSearchParams(), sight = openForm()?.elements.id.value;
  for (const x of unresolved.keys()) if (x !== sight) query.append('ended', x);
  query.append('id', id);
  query.append('filter', filter.elements.filter.value);
  const { ok, status, page } = await load('/?' + query);
  if (!ok && status) {
    trouble.textContent = status === 401 ? texts.ended : texts.failed;
    trouble.hidden = false;
  }
  if (!ok) return null;
  const notices = [...page.querySelectorAll('.notice')].filter(({ dataset: { id } }) => {
    const button = unresolved.get(id);
    if (button) send(button);
    else unresolved.delete(id);
    return !button;
  });
  if (notices.length) showNotices(...notices);
  return page;
}

let scheduled = false, updating = Promise.resolve();

// reconcile brings the page up to date, with one request at a time for all that happened.
function reconcile() {
  if (scheduled) return;
  scheduled = true;
  updating = updating.then(() => new Promise((done) => setTimeout(done, 20))).then(refresh).catch(() => {});
}

async function refresh() {
  scheduled = false;
  const card = current(), page = await update(card?.dataset.id ?? '');
  if (!page) return;
  for (const [form, timer] of drafts) if (!timer) sendDraft(form);
  updateList(page);
  const fresh = page.querySelector('.card');
  if (!card && !current() && fresh) place(page, { push: false, focused: document.activeElement === document.body });
  else if (card?.isConnected && fresh?.dataset.id === card.dataset.id) updateCard(card, fresh);
  ages();
}

function updateList(page) {
  const fresh = page.querySelector('#list'), known = list.dataset.last;
  for (const li of list.children) if (!fresh.querySelector(`[data-id="${li.dataset.id}"]`)) removeEntry(li);
  for (const li of [...fresh.children]) {
    const { id } = li.dataset, old = entry(id);
    if (old) {
      renewContent(old.querySelector('.facts'), li.querySelector('.facts'));
      old.hidden = li.hidden;
    } else if (id > known) announce(li);
  }
  arrange([...fresh.children]);
  if (fresh.dataset.last > known) list.dataset.last = fresh.dataset.last;
  renewContent($('more'), page.querySelector('#more'));
  if (document.title === page.title) return;
  document.title = page.title;
  $('count').textContent = page.getElementById('count').textContent;
  document.querySelector('link[rel=icon]').href = page.querySelector('link[rel=icon]').href;
}

function renewContent(old, fresh) {
  if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

// arrange puts the entries into the order of the server's, as soon as that moves nothing under
// a pointer.
let order = []; // the entries as the server last sent them

function arrange(entries) {
  order = entries;
  headGroups();
  const open = [...list.children].filter(isOpen), at = entries.findIndex((li, i) => open[i]?.dataset.id !== li.dataset.id);
  if (at >= 0 && open[at]) whenClear(open[at], placeEntries);
  else if (at >= 0) placeEntries();
}

function placeEntries() {
  const focused = document.activeElement;
  let next = list.firstElementChild;
  for (const li of order) {
    const here = entry(li.dataset.id);
    if (here && !isOpen(here)) continue;
    while (next && !isOpen(next)) next = next.nextElementSibling;
    if (here && here === next) next = next.nextElementSibling;
    else list.insertBefore(here ?? li, next);
  }
  if (list.contains(focused)) focused.focus({ preventScroll: true });
  headGroups();
}

// headGroups shows the agent's name above the first entry of each.
function headGroups() {
  let agent;
  for (const li of list.children) {
    if (li.hidden) continue;
    li.classList.toggle('first', li.dataset.agent !== agent);
    agent = li.dataset.agent;
  }
}

// announce notifies the human of a new question.
function announce(li) {
  const { dataset } = li;
  showNotice(dataset.news);
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const note = new Notification(dataset.asks, { body: li.querySelector('.subject').textContent, tag: dataset.id, icon: '/assets/favicon.svg' });
  note.onclick = () => { focus(); show(dataset.id); note.close(); };
}

// updateCard brings a card up to date. A form that was not filled in here takes a draft from
// another surface.
function updateCard(card, fresh) {
  const form = formIn(card), { id } = card.dataset;
  if (fresh.matches('.ended')) return closeCard(card, fresh);
  const elsewhere = form && !card.inert && !('begun' in form.dataset) && !form.contains(document.activeElement) && form.dataset.draft !== formIn(fresh).dataset.draft;
  if (elsewhere && !inTheWay(card)) {
    const focused = card === document.activeElement;
    card.replaceWith(fresh);
    prepare(fresh);
    if (focused) autoFocus(fresh);
    return;
  }
  for (const part of card.querySelectorAll('[data-part]')) renewPart(card, part, fresh.querySelector(`[data-part="${part.dataset.part}"]`));
  if (elsewhere) whenClear(card, reconcile);
}

// renewPart replaces a part of a card, which keeps its height until no pointer is in the way.
function renewPart(card, part, fresh) {
  if (!fresh || part.innerHTML === fresh.innerHTML || part.contains(document.activeElement)) return;
  for (const el of part.querySelectorAll(':checked')) fresh.querySelector(`[value="${el.value}"]`)?.setAttribute('checked', '');
  fresh.style.height = part.offsetHeight + 'px';
  part.replaceWith(fresh);
  whenClear(card, () => fresh.removeAttribute('style'));
}

// closeCard closes a card whose record has ended. Where the human is filling it in, it shows
// the outcome and what was not sent. The outcome is the human's own answer if that waited to
// be sent, unless it was late.
async function closeCard(card, ended) {
  const form = formIn(card), { id } = card.dataset;
  if (card.matches('.ended, .gone') || form.ariaBusy) return; // its own response tells
  if (unresolved.get(id)) return send(unresolved.get(id));
  const late = !unresolved.delete(id) || 'late' in ended.dataset, outcome = ended.querySelector('.outcome strong').textContent;
  const inUse = card.querySelector(':focus');
  showNotice(ended.dataset.notice, late);
  retire(card, outcome);
  if (late && 'begun' in form.dataset) {
    const { page } = await load('/draft', fields(form));
    showEnded(card, page.querySelector('.card.ended') ?? ended);
  } else if (inUse) {
    showEnded(card, ended);
  } else {
    forgetForm(form);
    goToNext(card, outcome);
  }
}

// A browser opens few connections to one server, so one tab listens for all.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = (event) => onEvent(event.data);

function onEvent(event) {
  const lost = event === 'trouble';
  if (lost && !trouble.hidden) return;
  if (lost) trouble.textContent = texts.lost;
  trouble.hidden = !lost;
  document.documentElement.dataset.live = lost ? 'no' : 'yes';
  if (event.later && !unresolved.has(event.id)) unresolved.set(event.id, null);
  reconcile(); // which shows why, where the server responds
}

function listen() {
  const source = new EventSource('/api/events');
  const pass = (event) => { onEvent(event); tabs.postMessage(event); };
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

// A device that slept, or a page from the browser's cache, has missed events.
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') reconcile(); });
addEventListener('pageshow', ({ persisted }) => { if (persisted) reconcile(); });

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
  notify.hidden = !('Notification' in window) || Notification.permission !== 'default';
}

notify.addEventListener('click', () => Notification.requestPermission().then(offerNotifications));

filter.addEventListener('input', reconcile);

// Links lead to pages of their own; with this script they open in this one, so that no
// form is left for them.
document.addEventListener('click', (event) => {
  const at = event.target.closest('#list a, .back, [data-dialog], [data-remove], [data-close], #dialog a[href^="/history"], .refused a');
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if ('close' in at.dataset) at.closest('dialog').close();
  else if ('remove' in at.dataset) show(entryAfter(current())?.dataset.id ?? '', { push: false, focused: true });
  else if (at.matches('.back')) showList();
  else if (at.closest('.refused')) focusField($(at.hash.slice(1)));
  else if (at.closest('#list')) show(at.closest('li').dataset.id, { control: wide.matches });
  else openDialog(at.href);
});

function showList() {
  sendDrafts();
  history.pushState(null, '', '/?list');
  document.body.dataset.view = 'list';
  $('count').focus();
}

// openDialog shows the history, or the keys.
async function openDialog(url) {
  const { ok, page } = await load(url);
  if (!ok) return showNotice(reasonOf(page), true);
  dialog.querySelector('div').replaceChildren(...page.querySelector('main').childNodes);
  dialog.ariaLabel = dialog.querySelector('h1').textContent;
  if (!dialog.open) dialog.showModal();
  dialog.querySelector('input[type=search]')?.focus();
}

if (current()) prepare(current());
offerNotifications();
ages();
if (navigator.locks) navigator.locks.request('askuser', () => { listen(); return new Promise(() => {}); });
else listen();
reconcile();
