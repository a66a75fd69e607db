// Says in plain words that the server is away, where the browser would show an
// error of its own. It keeps nothing of any question.
'use strict';

const kept = 'askuser-1', notice = '/assets/offline.html';

addEventListener('install', (event) => event.waitUntil(caches.open(kept).then((c) => c.addAll([notice, '/assets/page.css', '/assets/back.js', '/favicon.svg']))));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { mode, url } = event.request;
  if (mode === 'navigate') event.respondWith(fetch(event.request).catch(() => caches.match(notice)));
  else if (/\/assets\/(page\.css|back\.js)$|\/favicon\.svg$/.test(url)) event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
});
