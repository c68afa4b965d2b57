import type { entrance as en } from '../en/entrance.tsx';

export const entrance: typeof en = {};
