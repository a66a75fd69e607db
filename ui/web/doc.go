// Package web is the surface "web": a page and an HTTP API on loopback with
// all open questions of all agents. The page is a list, and beside it one question, drawn from
// an answer.Set that is filled in with the fields of its form (form.go), or the history. Answering
// needs no JavaScript: a script shows the pages that a browser without it gets, keeps them live,
// and has the keys. The API is for other programs; openapi.json
// describes it.
//
// Texts for people are in the language of the request ([Server.languageOf]), texts
// for programs in English.
//
// Passkeys are registered and used here (passkey.go): the script has the browser sign a
// statement that the server makes of the form, and the desk checks the signature.
//
// It imports ui, ui/api, ui/answer, ui/view, ui/words, desk, desk/proof and question. It must not
// know the call forms in which agents write (Options.Decode reads them), nor any
// other surface.
//
// The rules of its security, in the order in which they are applied to a request:
//
//   - The Host must be the server's own: a foreign name that resolves to this machine (DNS
//     rebinding) is refused.
//   - An Origin, where the browser sends one, must be the same as the Host.
//   - A program sends the token of this start as a bearer. A browser redeems it
//     for a cookie that no script and no other site can use, good for thirty
//     days after its last visit or until its key is replaced. Other requests get 401,
//     except for styles, scripts and icons.
//   - A change is a POST; with a cookie, the browser must say as well, in Origin or
//     Sec-Fetch-Site, that a page of this server sent it.
//   - A passkey is registered only on a page that was started for that, with a challenge of
//     its own. Where passkeys are used the address names localhost, and the page has
//     both loopback addresses: no other program gets what a browser sends there.
//   - Bodies, headers, connections and waits have limits. Connections that are not
//     authenticated end after one response.
//   - A file of an answer is served as the type that the desk found in its content, images in
//     a sandbox, and all others to be saved (files.go).
//   - Texts stay text: elements are made by gomponents (*_html.go), which escapes texts and
//     attributes, of question.Line and question.Block; a Content-Security-Policy permits
//     nothing inline.
package web
