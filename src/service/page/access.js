// The bearer token of the requests. It is kept in memory only and lost at a reload.
let token = '';

// The header fields of a request; null if the token has characters that a header field cannot contain.
function credentials() {
  if (!token) return {};
  return /^[\x21-\x7e]+$/.test(token) ? {Authorization: `Bearer ${token}`} : null;
}

function showAccess(show) {
  $('access').hidden = !show;
  $('access-button').setAttribute('aria-expanded', String(show));
}

// The server requires a token: shows the field without moving the cursor.
function askForToken() {
  showAccess(true);
  $('access-note').textContent = token ? 'The server does not accept this token. It may have expired.' : 'The server needs a token, or a client certificate.';
}

// `used` is called when the token changes.
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
