import type { accounts as en } from '../en/accounts.tsx';

export const accounts: typeof en = {};
