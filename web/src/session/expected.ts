const STORED = 'has session';

/** Whether this browser had a session when it last knew: it then probably has one again. */
export function expectsSession(): boolean {
  try {
    return localStorage.getItem(STORED) !== null;
  } catch {
    return false;
  }
}

/** Keeps whether this browser has a session. */
export function noteSession(hasSession: boolean): void {
  try {
    if (hasSession) localStorage.setItem(STORED, 'yes');
    else localStorage.removeItem(STORED);
  } catch {
    // A browser that stores nothing loads the texts of the pages when it knows the session.
  }
}
