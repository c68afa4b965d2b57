import type { Webhook } from '../../api/endpoints.ts';
import type { Scope } from '../../users/scope.ts';

/** The properties of a dialog about one webhook. */
export interface WebhookDialogProps {
  webhook: Webhook;
  scope: Scope;
  opened: boolean;
  onClose: () => void;
}
