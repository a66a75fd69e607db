// The page's script. Everything that it does for answering works without it.
//
// The server renders. This script follows the page's links and sends its forms, so that what is
// typed outlives a server that is away, and asks anew when something has happened. Each time it
// gets the page that a browser without scripts gets, and puts its list and its pane in place. A
// form that the user has touched stays until its record has ended.
'use strict';

const $ = (id) => document.getElementById(id);
const list = $('list'), pane = $('pane'), filter = $('filter'), trouble = $('trouble');
const texts = document.body.dataset; // what this script says, in the language of the page

const current = () => pane.querySelector('.card');
const actionOf = (form) => form.getAttribute('action'); // a button of that name hides the property
const openForm = () => pane.querySelector('form[action="/answer"]');
const fields = (form, button) =>
  new URLSearchParams([...new FormData(form, button)].filter(([, value]) => typeof value === 'string')); // no files

// within ends a request that takes so long: a network that drops what is sent fails nothing by
// itself for many minutes.
const within = (seconds) => AbortSignal.timeout(1000 * seconds);

// load requests a page, with a form if there is one to send. The status is 0 where nothing arrived, or
// what is no page of ours, such as that of a proxy which has its user sign in.
async function load(address, body) {
  const url = new URL(address, location), { value } = filter.elements.filter;
  if (value) url.searchParams.set('filter', value);
  const signal = within(body instanceof FormData ? 150 : 20); // files take their time
  const options = { method: body ? 'POST' : 'GET', body, headers: { 'X-Script': '1' }, signal };
  const response = await fetch(url, options).catch(() => null);
  const text = await response?.text().catch(() => null) ?? null;
  const page = new DOMParser().parseFromString(text ?? '', 'text/html');
  const foreign = response?.ok && !page.getElementById('pane');
  return { status: text === null || foreign ? 0 : response.status, page };
}

const paragraph = (textContent, className = '') =>
  Object.assign(document.createElement('p'), { textContent, className });
const showNotice = (words, late) => $('news').replaceChildren(paragraph(words, late ? 'notice late' : 'notice'));
const dropFault = () => $('news').querySelector('.late')?.remove(); // what has been tried again since

// ---- A deliberate act

// A control that has only just come to where it is takes no click and no Enter, and a held Enter
// counts once. In ms.
const delays = { fresh: 600, repeat: 150 };

const placed = new WeakMap(); // when an element came to where it is, with all in it
const place = (el) => placed.set(el, performance.now());

function isFresh(el, at = performance.now()) {
  for (; el; el = el.parentElement) if (at - placed.get(el) < delays.fresh) return true;
  return false;
}

function refuse(event, again) {
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!again) showNotice(texts.early);
}

addEventListener('click', (event) => {
  const control = event.target.closest?.('a, button, input, label, summary');
  if (event.detail === 0 || !control || !isFresh(control, event.timeStamp)) return; // 0: a key, or a script
  refuse(event, event.detail > 1);
}, true);

// isNewLine reports whether an Enter is a new line in a text. In the field of a panel it acts, like
// the panel's button; Shift makes it a new line.
const isNewLine = ({ target, ctrlKey, metaKey, shiftKey }) =>
  target.matches('textarea') && !ctrlKey && !metaKey && (shiftKey || !target.closest('.panel'));

// takesEnter reports whether an Enter counts where the focus is, or in the pane where it is nowhere.
const takesEnter = () => !isFresh(document.activeElement === document.body ? pane : document.activeElement);

// A view that comes by itself takes no key that is part of what the user types before it: none
// before a pause.
let quiet = true;
let pressed = -Infinity; // when a key was last pressed

const isTyped = (el) => el.matches('textarea, input:is([type="search"], [type="text"])');

addEventListener('keydown', (event) => {
  const { target, key, timeStamp, ctrlKey, metaKey } = event;
  const written = key === 'Enter' || key?.length === 1 && !ctrlKey && !metaKey;
  quiet ||= timeStamp - pressed > delays.fresh;
  pressed = timeStamp;
  if (!quiet && written && !isTyped(target)) refuse(event, true);
}, true);

let entered = -Infinity; // when Enter was last pressed

addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  const held = event.repeat || event.timeStamp - entered < delays.repeat;
  entered = event.timeStamp;
  if (!isNewLine(event) && (held || !takesEnter())) refuse(event, held);
}, true);

document.addEventListener('beforetoggle', ({ target }) => place(target), true);

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return;
  place(document.body);
  renew(); // a device that slept has missed events
});

// ---- Views

// The list, a card, the history: each has an address, and an entry in the browser's history.
let address = location.pathname + location.search; // of the view in sight
let turn = 0; // counts what the user has gone to, and sent: the last one counts

let going = Promise.resolve(); // the visit under way

// visit shows the view at an address. how: the method of history that enters it; empty where it is
// entered. What the user changes while the page is on its way is saved, and the page loaded again.
function visit(url, how = 'pushState') {
  const now = ++turn;
  going = (async () => {
    let page, before;
    do {
      before = touches;
      await saveDraft();
      ({ page } = await load(url));
    } while (before !== touches && now === turn);
    if (now === turn) show(page, how);
  })();
  return going;
}

// show puts a page in place of this one, or says why it did not arrive.
function show(page, how) {
  if (!page.getElementById('pane')) return showNotice(reasonOf(page), true);
  address = page.querySelector('[rel="canonical"]').getAttribute('href');
  if (how) history[how](null, '', address);
  document.body.dataset.view = page.body.dataset.view;
  showList(page);
  showPane(page);
  place(document.body);
  scrollTo(0, 0);
  list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  [pane.firstElementChild, $('count')].find((el) => el.checkVisibility()).focus({ preventScroll: true });
}

let lists = 0; // counts the lists shown: what was requested before the latest one is out of date

function showList(page) {
  const focused = list.contains(document.activeElement) && document.activeElement.closest('li').dataset.id;
  const notices = page.querySelectorAll('.notice');
  lists++;
  if (notices.length) $('news').replaceChildren(...notices);
  for (const part of [list, $('more'), $('count')]) {
    const { innerHTML } = page.getElementById(part.id);
    if (part.innerHTML === innerHTML) continue;
    part.innerHTML = innerHTML;
    place(part);
    part.querySelector(`[data-id="${focused}"] a`)?.focus({ preventScroll: true });
  }
  if (focused && document.activeElement === document.body) $('count').focus({ preventScroll: true }); // it has gone
  filter.hidden = page.getElementById('filter').hidden;
  document.title = page.title;
}

let height; // of the form, at its last change
let served = pane.innerHTML; // what the server has sent for the pane

function showPane(page) {
  const fresh = page.getElementById('pane');
  forgetDraft();
  served = fresh.innerHTML;
  pane.replaceChildren(...fresh.childNodes);
  place(pane);
  prepare(openForm());
}

// prepare readies a new form. Where the answer is signed, it notes when the question was scrolled
// from its top to its end: a key that chooses an option leaps over what is above it.
function prepare(form) {
  const whole = form?.elements.whole;
  let seen = 0; // from the top of the form
  onscroll = whole && (() => {
    const { top, height } = form.getBoundingClientRect();
    if (-top <= seen) seen = Math.max(seen, innerHeight - top);
    if (height && seen > height - 1) whole.value = 'yes';
  });
  if (whole) new ResizeObserver(onscroll).observe(form);
  height = form?.offsetHeight;
}

addEventListener('popstate', () => { if (location.pathname + location.search !== address) visit(location.href, ''); });

document.addEventListener('click', (event) => {
  const a = event.target.closest('a[href^="/"]:not([target])');
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  visit(a.href);
});

// ---- Drafts

// The server gets a draft a moment after the last change: other surfaces offer it, and a timeout
// starts anew.
let drafting = 0; // the timer of the next draft; 0 where the server has it
let touches = 0; // counts the user's changes

function touch(form, wait = 300) {
  touches++;
  form.dataset.touched = '';
  clearTimeout(drafting);
  drafting = setTimeout(saveDraft, wait);
}

pane.addEventListener('input', ({ target }) => {
  const { form, type } = target, typed = type === 'textarea';
  if (!form || form !== openForm() || type === 'file') return;
  if (!typed && form.offsetHeight !== height) place(form); // what unfolds moves what is below it
  height = form.offsetHeight;
  touch(form, typed ? 500 : 50);
});

let saving = Promise.resolve(); // one draft after the other: the last one counts
const saveDraft = () => saving = saving.then(postDraft);

async function postDraft() {
  const form = openForm(), due = drafting;
  forgetDraft();
  if (!due || !form) return;
  const body = fields(form), keepalive = String(body).length < 60_000; // a browser lets no more outlive the page
  const signal = within(20); // the next draft, and a visit, wait for this one
  const response = await fetch('/draft', { method: 'POST', body, keepalive, signal }).catch(() => null);
  if (response?.status !== 204) drafting ||= due; // with the next one
}

function forgetDraft() {
  clearTimeout(drafting);
  drafting = 0;
}

addEventListener('pagehide', postDraft);

// ---- Sending

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  event.preventDefault();
  if (submitter?.formMethod === 'dialog') return; // Enter on an option: the button that sends nothing
  if (form.method === 'get') visit(actionOf(form) + '?' + fields(form));
  else if (submitter.name === 'recall') recall(form, submitter);
  else send(form, submitter);
});

// reasonOf is what a page says that refuses a request.
const reasonOf = (page) => [...page.querySelectorAll('#none > p:first-of-type, #none > pre')]
  .map((el) => el.textContent).join(' ') || texts.unreached;

async function send(form, button) {
  if (form.ariaBusy) return;
  clearTimeout(again); // what the user does last counts
  form.ariaBusy = 'true';
  const now = ++turn, complete = await uploads; // a file that is refused was meant to go along
  const body = fields(form, button), sent = String(body);
  let result = complete && await load(actionOf(form), body);
  if (result.status === 0) result = await load(actionOf(form), body); // the same reply counts once
  if (result && result.page.querySelector('[data-sign]')) result = await sign(form, body, result.page);
  form.ariaBusy = null;
  if (result) showResult(form, button, sent, result, now === turn);
  renew(); // the question may have ended in the meantime
}

// sign has the user sign an answer, and sends it. The result is null where the user said no.
async function sign(form, body, page) {
  const { dataset: { sign: options, at } } = page.querySelector('[data-sign]');
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
    body.set('proof', JSON.stringify(await navigator.credentials.get({ publicKey })));
  } catch (error) {
    const why = error.name === 'NotAllowedError' ? texts.unsigned : error.message; // that is for programs
    showNotice(texts.unsent.replace('%s', () => why), true);
    return null;
  }
  body.set('at', at);
  return load(actionOf(form), body);
}

// showResult shows what became of a form, in its place if the user is still there.
function showResult(form, button, sent, { status, page }, here) {
  const card = page.querySelector('.card'), faults = page.querySelector('.refused:not(:empty)');
  if (!page.getElementById('pane')) {
    const words = texts.unsent.replace('%s', () => reasonOf(page));
    showNotice(words, true);
    form.querySelector('.refused')?.replaceChildren(paragraph(words));
    form.dataset.touched = '';
    if (here && (status === 0 || status === 503) && !('prove' in form.dataset)) sendLater(form, button, sent);
  } else if (here) {
    dropFault();
    show(page, 'replaceState');
    pane.querySelector('.refused a')?.focus();
  } else {
    showList(page);
    if (status >= 400) showNotice(faults?.textContent ?? card.dataset.notice, true);
  }
}

let again = 0; // the timer of what is sent again

// sendLater sends an answer again that the server did not take, unless the user has changed it.
function sendLater(form, button, sent) {
  again = setTimeout(() => {
    if (form.isConnected && String(fields(form, button)) === sent) send(form, button);
  }, 4000);
}

async function recall(form, button) {
  const { id } = button.closest('.field');
  await refill(form, '/recall', fields(form, button), id);
  $(id)?.focus();
}

// refill has the server fill in a part of the form, by the id of its element, and reports whether
// it did so.
async function refill(form, url, body, id) {
  const { status, page } = await load(url, body), fresh = page.getElementById(id);
  const fault = fresh?.closest('.field').querySelector(':scope > .fault');
  if (!fresh || fault) showNotice(fault?.textContent ?? reasonOf(page), true);
  else dropFault();
  if (!fresh || !$(id)) return false;
  $(id).replaceWith(fresh);
  place(fresh);
  touch(form);
  return status < 400;
}

// ---- Files

let uploads = Promise.resolve(true); // whether the files under way arrive

function attach(input, files) {
  const { form, name } = input, { id } = input.closest('.files');
  input.closest('.more').open = true;
  const here = uploads = uploads.then(async (before) => { // one after the other: the form has those before
    const body = new FormData(form);
    for (const file of files) body.append(name, file);
    return await refill(form, '/attach', body, id) && before;
  });
  here.then(() => { if (uploads === here) uploads = Promise.resolve(true); });
}

// takeFiles attaches the files of a paste or a drop to the question that it is at, or that keys
// answer.
function takeFiles(event, files) {
  const input = (event.target.closest?.('.field') ?? liveField())?.querySelector(':scope > .more [type="file"]');
  if (!files.length) return;
  event.preventDefault();
  if (input) attach(input, files);
}

document.addEventListener('paste', (event) => {
  const { target, clipboardData: { types, files } } = event;
  if (!target.matches('textarea, input') || !types.includes('text/plain')) takeFiles(event, files);
});
document.addEventListener('drop', (event) => takeFiles(event, event.dataTransfer.files));
document.addEventListener('dragover', (event) => {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault();
});

pane.addEventListener('change', ({ target }) => {
  const files = [...target.files ?? []];
  if (target.type !== 'file') return;
  target.value = ''; // the form is sent with them once
  attach(target, files);
});

// ---- Live updates

const late = new Set(); // the ids of answers that came too late, which the next list tells the user
let due = false, renewing = false;
let retry = 0; // the timer of the next try, where nothing arrived, or the server has failed

// renew brings the page up to date, with one request at a time for all that happened.
async function renew() {
  due = true;
  if (renewing) return;
  renewing = true;
  while (due) {
    await new Promise((done) => setTimeout(done, 20));
    due = false;
    await update().catch(console.error); // of a page that is not as this script knows it
  }
  renewing = false;
}

// editionOf tells the script of a page from that of another version.
const editionOf = (page) => page.querySelector('script[src^="/assets/page.js"]')?.getAttribute('src');

// isTouched reports whether the user has filled something in, or soon will have.
const isTouched = (form) => form && ('touched' in form.dataset || form.querySelector(':popover-open, .more :focus'));

async function update() {
  await saveDraft();
  const before = lists, told = [...late];
  const { status, page } = await load('/?' + ['id=' + (current()?.dataset.id ?? ''), ...told].join('&ended='));
  const lost = status === 0 || document.documentElement.dataset.live === 'no';
  showTrouble(status === 401 ? texts.ended : status >= 400 ? texts.failed : lost ? texts.lost : '');
  clearTimeout(retry);
  retry = (status === 0 || status >= 500) && setTimeout(renew, 3000);
  if (status !== 200) return;
  const stale = editionOf(page) !== editionOf(document); // the server was brought up to date
  if (stale && !isTouched(openForm()) && !isTyped(document.activeElement)) return location.reload();
  await going;
  if (before !== lists) return renew();
  for (const id of told) late.delete(id);
  showList(page);
  const { activeElement } = document;
  await renewCard(page);
  if (filter.contains(activeElement)) activeElement.focus(); // the user goes on typing there
}

// renewCard brings the card up to date with that of a page.
async function renewCard(page) {
  const card = current(), form = openForm(), fresh = page.querySelector('.card');
  const changed = page.getElementById('pane').innerHTML !== served;
  if ($('none') && changed) {
    quiet = false;
    return show(page, 'replaceState');
  }
  if (!form || form.ariaBusy || fresh?.dataset.id !== card.dataset.id) return;
  const touched = isTouched(form);
  const used = card.querySelector(':focus');
  if (fresh.matches('.ended')) {
    quiet = false;
    if (touched) ({ page } = await load('/answer', fields(form))); // sends nothing: it names no action
    if (touched || used) show(page, 'replaceState');
    else await visit(texts.view === 'list' ? '/?list' : '/', 'replaceState');
    showNotice(fresh.dataset.notice, true);
  } else if (!touched && changed) {
    const { name } = document.activeElement;
    showPane(page);
    if (used) (pane.querySelector(`[name="${name}"]`) ?? current()).focus();
  } else {
    const [head, other] = [card, fresh].map((el) => el.querySelector('header')), { offsetHeight } = head;
    if (head.innerHTML === other.innerHTML) return;
    head.replaceWith(other);
    if (other.offsetHeight !== offsetHeight) place(form);
  }
}

function showTrouble(words) {
  if (trouble.textContent === words) return;
  trouble.textContent = words;
  trouble.hidden = !words;
  place(document.body);
}

// A browser opens few connections to one server, so one tab listens for all.
const tabs = new BroadcastChannel('askuser');
tabs.onmessage = ({ data }) => onEvent(data);

function onEvent({ lost, id }) {
  if (lost && trouble.hidden) showTrouble(texts.lost);
  document.documentElement.dataset.live = lost ? 'no' : 'yes';
  if (id) late.add(id);
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
      pass({ id: later && id });
    });
  }
}

filter.addEventListener('input', renew);

// ---- Keys

// liveField returns the question that keys answer: the one with the focus, or else the first.
const liveField = () => document.activeElement.closest('.field') ?? pane.querySelector('.field');

// controlsOf returns a question's controls, without those beside its answer and its follow-ups.
const controlsOf = (field) => [...field.querySelectorAll(':is(input, textarea):not(.more *, .decide *)')]
  .filter((el) => el.closest('.field') === field);

// Letters act with Alt, where the terminal's forms have Ctrl: a browser keeps those for itself.
const acts = {
  x: () => pane.querySelector('.panel.dismiss')?.showPopover(),
  d: () => pane.querySelector('.panel.discuss')?.showPopover(),
  n: () => {
    const note = liveField()?.querySelector(':scope > .more');
    if (note) note.open = true;
    note?.querySelector('textarea').focus();
  },
  y: () => liveField()?.querySelector(':scope > .decide input')?.click(),
  r: () => (liveField() ?? pane).querySelector('[name=recall], .again button')?.click(),
};

document.addEventListener('keydown', (event) => {
  const { target, key } = event, command = event.ctrlKey || event.metaKey, form = openForm();
  const alt = event.altKey && !command && !event.getModifierState('AltGraph');
  const letter = /^[a-z]$/i.test(key) ? key : event.code.slice(3); // of the layout, where that has Latin ones with Alt
  const act = alt && acts[letter.toLowerCase()];
  const typing = isTyped(target);
  const composing = event.isComposing || event.keyCode === 229; // in Safari the code alone says so
  if (event.defaultPrevented || event.altKey && !act || composing) return;
  if (act) {
    event.preventDefault();
    act();
  } else if (key === 'Enter') {
    const panel = target.closest('.panel');
    const own = !command && target.matches('a, button, summary, [type="search"], [type="file"]');
    if (!form || own || isNewLine(event)) return;
    event.preventDefault();
    if (command || panel) form.requestSubmit((panel ?? form).querySelector('[name="action"]'));
    else nextOrSend(form);
  } else if (key === 'Escape' && !target.closest(':popover-open')) {
    goBack(target, typing);
  } else if (typing || command) {
    return;
  } else if (key === 'j' || key === 'k') {
    const all = [...list.children], at = all.findIndex((li) => li.dataset.id === current()?.dataset.id);
    all[at + (key === 'j' ? 1 : -1)]?.querySelector('a').click();
  } else if (key === '/' && filter.checkVisibility()) {
    event.preventDefault();
    filter.elements.filter.focus();
  } else if (key === '?') {
    $('keys').togglePopover();
  } else if (form && chooseByKey(key)) {
    event.preventDefault();
  }
});

// goBack goes from a text field to its question, from the filter, which it clears, to the card, and
// else to the list.
function goBack(target, typing) {
  if (target.type === 'search') {
    target.value = '';
    renew();
  }
  const back = typing ? target.closest('.field') ?? current() : list.querySelector('[aria-current]');
  back?.focus();
}

// nextOrSend focuses the question after the one with the focus, and sends after the last.
function nextOrSend(form) {
  const all = [...form.querySelectorAll('.field')].filter((field) => field.checkVisibility());
  const next = all[all.indexOf(document.activeElement.closest('.field')) + 1];
  if (next) (controlsOf(next)[0] ?? next).focus();
  else form.requestSubmit(form.querySelector('.main'));
}

// chooseByKey clicks the option of a key, in the question that keys answer.
function chooseByKey(key) {
  const all = controlsOf(liveField()).filter((el) => el.hasAttribute('aria-keyshortcuts'));
  const input = all.find((el) => el.getAttribute('aria-keyshortcuts') === key.toUpperCase()) ?? all[key - 1];
  input?.click();
  (input?.value === 'other' && input.checked ? input.closest('.option').querySelector('.own') : input)?.focus();
  return input;
}

place(document.body);
prepare(openForm());
if (navigator.locks) navigator.locks.request('askuser', () => { listen(); return new Promise(() => {}); });
else listen();
renew();
