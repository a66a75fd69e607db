// Only a deliberate act counts. A double click, a held key, or a click while questions
// appear and disappear must not answer another question:
//
//   - A control takes no click before it has been where it is for half a second.
//   - Nothing moves under a pointer: what would move a card waits until the
//     pointer has left, or the finger is up, and half a second has passed.
//   - A held Enter sends nothing, nor does one in a card that has only just got
//     the focus by itself.
//
// page.js changes cards and entries through whenClear, and sets the focus with autoFocus.
'use strict';

// How long a control must have been in place before it takes a click, and a
// card have had the focus before it takes an Enter; the most between two of a
// key's repeats. In ms.
const delays = { click: 500, enter: 600, repeat: 150 };

// ---- Where each control is, and since when

const controls = 'a[href], button, input, label, summary';
const roots = ['.bar', 'nav', '#pane', '#dialog'].map((selector) => document.querySelector(selector));
const places = new WeakMap(); // by element: { x, y, left, top, since }
let shown = performance.now(); // since when anything of the page is in sight
let frame = 0;

// scheduleMeasure measures with the next frame.
function scheduleMeasure() { frame ||= requestAnimationFrame(measure); }

// measure notes what has moved. Scrolling moves a control in the window, and a
// browser that keeps a control in the window moves it on the page: neither is
// a move, only both at once.
function measure() {
  cancelAnimationFrame(frame);
  frame = 0;
  const now = performance.now();
  for (const root of roots) {
    for (const el of root.querySelectorAll(controls)) record(el, el.getBoundingClientRect(), now, root.scrollTop);
  }
}

// record keeps since when an element is in its place.
function record(el, { left, top }, now, scrolled) {
  if (!el.checkVisibility()) return places.delete(el);
  const x = left + scrollX, y = top + scrollY + scrolled;
  const was = places.get(el);
  const off = (a, b) => Math.abs(a - b) > 1;
  const moved = was && (off(x, was.x) || off(y, was.y)) && (off(left, was.left) || off(top, was.top));
  places.set(el, { x, y, left, top, since: was && !moved ? was.since : now });
}

// justMoved reports whether an element was not yet long enough in place at a time.
function justMoved(el, at = performance.now()) {
  measure();
  return at - Math.max(shown, places.get(el)?.since ?? at) < delays.click;
}

const watching = { childList: true, subtree: true, characterData: true, attributes: true };
new MutationObserver(scheduleMeasure).observe(document.body, watching);
const sizes = new ResizeObserver(scheduleMeasure);
sizes.observe(document.body);
for (const type of ['input', 'change', 'toggle', 'scroll']) document.addEventListener(type, scheduleMeasure, { capture: true, passive: true });
addEventListener('resize', scheduleMeasure);
document.addEventListener('visibilitychange', () => { shown = performance.now(); });

let pressed = 0; // when the pointer went down

addEventListener('click', (event) => {
  const control = event.target.closest?.(controls);
  if (!control || event.detail === 0 || !justMoved(control, Math.min(pressed, event.timeStamp))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.detail === 1) showNotice(texts.early);
}, true);

// ---- What waits for the pointer

const pointer = { x: 0, y: 0, here: false, down: new Set(), up: -Infinity };
let waiting = []; // { card, act, clear }: clear is since when nothing is in the way

// whenClear runs an act on a card or an entry, which moves it or those after it, as soon as
// that moves nothing under a pointer.
function whenClear(card, act) {
  if (!inTheWay(card)) return act();
  waiting.push({ card, act, clear: 0 });
  runCleared();
}

// inTheWay reports whether a pointer is at a card, or an entry, or one after it.
function inTheWay(card) {
  if (pointer.down.size > 0 || performance.now() - pointer.up < delays.click) return true;
  return pointer.here && [...card.parentElement?.children ?? []].some((x) => {
    if (x !== card && !(card.compareDocumentPosition(x) & Node.DOCUMENT_POSITION_FOLLOWING)) return false;
    const { left, right, top, bottom } = x.getBoundingClientRect();
    return pointer.x >= left && pointer.x <= right && pointer.y >= top && pointer.y <= bottom;
  });
}

let checking = 0;

function runCleared() {
  clearTimeout(checking);
  if (!waiting.length) return;
  const now = performance.now();
  const free = new Set(waiting.filter((w) => {
    w.clear = inTheWay(w.card) ? 0 : w.clear || now;
    return w.clear && now - w.clear >= (pointer.here ? delays.click : 0);
  }));
  waiting = waiting.filter((w) => !free.has(w));
  free.forEach((w) => w.act());
  // A pointer that rests at a card sends an event when it leaves.
  if (waiting.some((w) => w.clear) || performance.now() - pointer.up < delays.click) checking = setTimeout(runCleared, 50);
}

function track(event) {
  if (event.type === 'pointerdown') {
    pressed = event.timeStamp;
    pointer.down.add(event.pointerId);
  } else if (event.buttons === 0 && pointer.down.delete(event.pointerId) && event.pointerType === 'touch') { // a menu may keep the pointerup
    pointer.up = performance.now();
  }
  if (event.pointerType !== 'touch') Object.assign(pointer, { x: event.clientX, y: event.clientY, here: true });
  runCleared();
}

for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) addEventListener(type, track, { capture: true, passive: true });
document.documentElement.addEventListener('pointerleave', () => { pointer.here = false; runCleared(); });

// ---- Enter

let focused = { card: null, at: 0 }; // the card that got the focus by itself
let enter = -Infinity; // when Enter was last pressed

// autoFocus focuses an element that the human did not ask for. It
// scrolls there, unless that moves something under a pointer in use; all that
// moves with it takes no click for a moment.
function autoFocus(el, scroll = !pointer.here && performance.now() - pointer.up >= delays.click) {
  focused = { card: el.closest('.card'), at: performance.now() };
  scrolling(() => el.focus({ preventScroll: !scroll }));
}

function scrolling(act) {
  const y = scrollY;
  act();
  if (scrollY !== y) shown = performance.now();
}

const ignoresEnter = () => focused.card?.contains(document.activeElement) && performance.now() - focused.at < delays.enter;

// isNewLine reports whether an Enter is a new line in a text. In the field of a panel it
// acts, like the panel's button; Shift makes it a new line.
const isNewLine = ({ target, ctrlKey, metaKey, shiftKey }) => target.matches?.('textarea') && !ctrlKey && !metaKey && (shiftKey || !target.closest('.panel'));

addEventListener('keydown', (event) => {
  pointer.here = false; // whatever rests there is not in use
  runCleared();
  if (event.key !== 'Enter') return;
  const held = event.repeat || event.timeStamp - enter < delays.repeat;
  enter = event.timeStamp;
  if (isNewLine(event)) return;
  if (!held && !ignoresEnter()) return;
  if (ignoresEnter()) focused.at = performance.now();
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
