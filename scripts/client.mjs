// A client of the HTTP interface, for programs that fill and measure a service.

/** Logs in; resolves with the cookie. Repeats a log-in that a busy machine refuses with 503. */
export async function logInCookie(url, sourceAppId, password) {
  for (;;) {
    const { status, headers } = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sourceAppId, password }),
    });
    if (status === 200) return headers.get('set-cookie').split(';')[0];
    if (status !== 503) throw new Error(`POST /auth/login: ${status}`);
  }
}

/** Logs in; resolves with a function that sends requests with the session. */
export async function logIn(url, sourceAppId, password) {
  const cookie = await logInCookie(url, sourceAppId, password);
  return (method, path, body, { headers = {}, read } = {}) =>
    call(url, method, path, body, { headers: { cookie, ...headers }, read });
}

/**
 * Sends a request and parses the answer.
 * @param body a value to send as JSON, or a Buffer
 * @param options.read reads the answer
 * @throws {Error} for a refusal
 */
export async function call(url, method, path, body, { headers, read = (response) => response.json() }) {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body instanceof Buffer ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return read(response);
}
