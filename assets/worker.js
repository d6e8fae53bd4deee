// Serves Leaf's pages while the server cannot be reached, from what `client/offline.js` has kept. As long as the server
// answers, everything comes from it: no old page meets a new server. Nothing personal is kept here.
const PAGES = /^\/(chat\/[^/]+\/?|dashboard\/?)?$/;
const FILES = /^\/(assets\/|icon\.svg$)/;
const PAGE = "/__spa-fallback.html";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const kept = async (path) => (await caches.match(path, { ignoreVary: true })) ?? Response.error();

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate" && PAGES.test(pathname)) {
    event.respondWith(fetch(request).catch(() => (pathname === "/" ? Response.redirect("/dashboard") : kept(PAGE))));
  } else if (FILES.test(pathname)) {
    event.respondWith(fetch(request).catch(() => kept(pathname)));
  }
});
