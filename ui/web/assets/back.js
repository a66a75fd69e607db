// A page that refused a browser asks again whether the browser may see the questions:
// when the page gets the focus, and every three seconds while it is visible.
'use strict';

async function look() {
  if (document.visibilityState !== 'visible') return;
  const res = await fetch('/?list', { headers: { 'X-Script': '1' }, cache: 'no-store' }).catch(() => null);
  if (res?.ok) location.replace(location.href); // not a form once more
}

addEventListener('focus', look);
document.addEventListener('visibilitychange', look);
setInterval(look, 3000);
