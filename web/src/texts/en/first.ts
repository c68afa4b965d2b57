import { common } from './common.tsx';
import { components } from './components.tsx';
import { entrance } from './entrance.tsx';
import { session } from './session.tsx';

/** The English texts of the pages before the log-in, and of components that all pages share. */
export const first = { common, components, entrance, session };

/** What every language has of them. */
export type FirstTexts = typeof first;
