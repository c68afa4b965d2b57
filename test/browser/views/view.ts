import type { Page } from 'playwright-core';

/** A page or dialog of the dashboard and the steps to open it. */
export interface View {
  name: string;
  /** Whose session shows it. A member has an account, which manages the app. */
  role: 'anonymous' | 'operator' | 'admin' | 'member';
  /** The words in capitals are those of {@link Names}. */
  path: string;
  /** Opens the view. Resolves when it is ready. */
  open: (page: Page) => Promise<unknown>;
  /** Whether the session has ended afterwards. */
  endsSession?: boolean;
}

/** What the words of a path stand for. */
export interface Names {
  /** The id of the app under test. */
  APP: string;
  /** The token of an invitation to somebody without an account. */
  INVITATION: string;
  /** The token of an invitation to the member. */
  SECOND: string;
}

export const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
export const dialog = (page: Page) => page.getByRole('dialog').waitFor();
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
