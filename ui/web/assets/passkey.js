// Registers a passkey: the browser asks the user for one, and the server trusts it. What the
// server says to it takes the place of the form: the server may have ended by then.
'use strict';

const form = document.querySelector('form'), main = document.querySelector('main');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fault = form.querySelector('.fault'), { name } = form.elements;
  fault.textContent = '';
  const { challenge, keys, declined } = form.dataset;
  try {
    const created = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON({
      challenge,
      rp: { name: 'mcp-askuser' },
      user: { id: challenge, name: name.value, displayName: name.value },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })), // ECDSA on P-256, Ed25519, RSA
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      excludeCredentials: JSON.parse(keys),
    }) });
    const body = new URLSearchParams({ name: name.value, credential: JSON.stringify(created) });
    const res = await fetch('/passkey', { method: 'POST', body });
    const page = new DOMParser().parseFromString(await res.text(), 'text/html');
    main.replaceChildren(main.querySelector('img'), ...page.querySelectorAll('#none > :is(h1, p)'));
    main.querySelector('h1').tabIndex = -1;
    main.querySelector('h1').focus();
  } catch (error) {
    fault.textContent = error.name === 'NotAllowedError' ? declined : error.message;
  }
});
