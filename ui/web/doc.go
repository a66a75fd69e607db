// Package web is the surface "web": a page and an HTTP API on loopback with
// all pending questions of all agents. The page is a list and one question
// beside it. It needs no JavaScript to answer; a small script keeps it live. The
// API is the same door for other programs, described in openapi.json.
//
// What a person reads is said in the language of the request, which is that of
// Options or else the browser's ([Server.languageOf]); what a program reads, in
// English.
//
// It imports ui, ui/api, ui/words, desk and question. It must not know the call
// forms in which agents write (they are handed in as Options.Decode), nor any
// other surface.
//
// The rules of its security, in the order in which a request meets them:
//
//   - The Host must be one of ours, with the port that the request came to: a
//     foreign name that resolves to this machine (DNS rebinding) gets nothing.
//   - An Origin, where the browser names one, must be the same as the Host.
//   - A program shows the token of this start as a bearer; a browser trades it
//     for a cookie that no script and no other site can use, good until thirty
//     days after its last visit or until the key that signs it is replaced.
//     Everything else gets 401, but for what is the same for everybody: styles,
//     scripts and icons.
//   - What changes something is a POST; with a cookie it must carry the form
//     token as well. A form of the page without a good one comes back filled in.
//   - Bodies, headers, connections and waiting have limits. Who has shown
//     neither token nor cookie has few places, and goes after an answer.
//   - Texts come out as text: html/template, question.Line and question.Block,
//     and a Content-Security-Policy under which nothing inline runs.
package web
