import type { firstForm as en } from '../en/first-form.tsx';

export const firstForm: typeof en = {};
