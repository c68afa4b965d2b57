import type { session as en } from '../en/session.tsx';

export const session: typeof en = {};
