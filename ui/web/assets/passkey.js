// Registers a passkey: the browser asks the user, and the form sends what it says.
'use strict';

const form = document.querySelector('form');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const options = JSON.parse(form.dataset.create), { name } = form.elements;
    options.user.name = options.user.displayName = name.value;
    const created = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
    form.elements.credential.value = JSON.stringify(created.toJSON());
    form.submit();
  } catch (error) {
    form.querySelector('.refused').textContent = error.message;
  }
});
