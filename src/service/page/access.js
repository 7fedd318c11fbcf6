// The bearer token of the requests. It is kept in memory only: a reload forgets it.
let token = '';

// The header fields that a request needs; null: the token cannot be part of one.
function credentials() {
  if (!token) return {};
  return /^[\x21-\x7e]+$/.test(token) ? {Authorization: `Bearer ${token}`} : null;
}

function showAccess(show) {
  $('access').hidden = !show;
  $('access-button').setAttribute('aria-expanded', String(show));
}

// The server asks who is calling: the field is shown, but the cursor stays where it is.
function askForToken() {
  showAccess(true);
  $('access-note').textContent = token ? 'The server does not accept this token. It may have expired.' : 'The server needs a token, or a client certificate.';
}

// `used` is called when there is another token.
function watchToken(used) {
  $('access-button').addEventListener('click', () => {
    showAccess($('access').hidden);
    if (!$('access').hidden) $('token').focus();
  });
  $('access').addEventListener('submit', (event) => {
    event.preventDefault();
    token = $('token').value.trim();
    $('access-note').textContent = credentials() ? '' : 'This is not a token: it may contain only printable ASCII characters without spaces.';
    used();
  });
}
