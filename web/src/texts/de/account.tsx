import type { account as en } from '../en/account.tsx';

export const account: typeof en = {};
