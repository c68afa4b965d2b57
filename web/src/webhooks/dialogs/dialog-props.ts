import type { Webhook } from '../../api/endpoints.ts';
import type { Scope } from '../../users/scope.ts';

export interface WebhookDialogProps {
  webhook: Webhook;
  scope: Scope;
  opened: boolean;
  onClose: () => void;
}
