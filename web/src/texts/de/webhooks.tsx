import type { webhooks as en } from '../en/webhooks.tsx';

export const webhooks: typeof en = {};
