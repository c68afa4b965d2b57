import type { users as en } from '../en/users.tsx';

export const users: typeof en = {};
