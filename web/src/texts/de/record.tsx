import type { record as en } from '../en/record.tsx';

export const record: typeof en = {};
