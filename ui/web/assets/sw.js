// Shows a page of ours while the server does not respond, in place of the browser's
// error. It caches no question.
'use strict';

const kept = 'askuser-1', notice = '/assets/offline.html';

addEventListener('install', (event) => event.waitUntil(caches.open(kept).then((c) => c.addAll([notice, '/assets/page.css', '/assets/back.js', '/favicon.svg']))));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { mode, url } = event.request;
  if (mode === 'navigate') event.respondWith(fetch(event.request).catch(() => caches.match(notice)));
  else if (/\/assets\/(page\.css|back\.js)$|\/favicon\.svg$/.test(url)) event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
});
