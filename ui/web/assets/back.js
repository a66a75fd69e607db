// A page that nobody may see yet looks now and then whether its browser may by
// now: when somebody comes back to it, and every few seconds while it is seen.
'use strict';

async function look() {
  if (document.visibilityState !== 'visible') return;
  const res = await fetch('/?list', { headers: { 'X-Script': '1' }, cache: 'no-store' }).catch(() => null);
  if (res?.ok) location.replace(location.href); // not a form once more
}

addEventListener('focus', look);
document.addEventListener('visibilitychange', look);
setInterval(look, 3000);
