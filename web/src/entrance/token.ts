import { useEffect, useState } from 'react';

/** The token of the link that was opened last. In memory only: a reload needs the link again. */
let taken = '';

/** Reads the token from the fragment, and removes it from the address bar and the history. */
function takeToken(): string {
  const { hash, pathname, search } = window.location;
  if (hash.length > 1) {
    taken = decodeToken(hash.slice(1));
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
  return taken;
}

function decodeToken(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The token of a link that was opened; empty without one. */
export function useToken(): string {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    const update = (): void => setToken(takeToken());
    window.addEventListener('hashchange', update);
    return () => window.removeEventListener('hashchange', update);
  }, []);
  return token;
}

/** Puts the token back into the address bar, so that it outlasts a reload. */
export function keepToken(): void {
  if (taken !== '') window.history.replaceState(window.history.state, '', `#${encodeURIComponent(taken)}`);
}

/** Forgets the token after its use. */
export function forgetToken(): void {
  taken = '';
}
