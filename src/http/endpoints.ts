import type { EndpointSpec } from '../api/endpoint.ts';
import { apiKeyEndpoints } from '../api-keys/api-keys.contract.ts';
import { appEndpoints } from '../apps/apps.contract.ts';
import { formSettingsEndpoints } from '../apps/form-settings/form-settings.contract.ts';
import { auditEndpoints } from '../audit/audit.contract.ts';
import { importEndpoints } from '../imports/imports.contract.ts';
import { confirmationEndpoints } from '../notifications/confirmation/confirmation.contract.ts';
import { mailStatusEndpoints } from '../notifications/mail-status.contract.ts';
import { schemaEndpoints } from '../schemas/schemas.contract.ts';
import { sessionEndpoints } from '../sessions/sessions.contract.ts';
import { challengeEndpoints } from '../submissions/bots/challenges.contract.ts';
import { formEndpoints } from '../submissions/forms/forms.contract.ts';
import { heldEndpoints } from '../submissions/held/held.contract.ts';
import { formDefinitionEndpoints, formPageEndpoints } from '../submissions/pages/pages.contract.ts';
import { submissionEndpoints } from '../submissions/submissions.contract.ts';
import { breakdownEndpoints } from '../users/breakdown/breakdown.contract.ts';
import { editingEndpoints } from '../users/editing/editing.contract.ts';
import { exportEndpoints } from '../users/export/export.contract.ts';
import { indexSlotEndpoints } from '../users/index-slots/index-slots.contract.ts';
import { peopleEndpoints } from '../users/people/people.contract.ts';
import { retentionEndpoints } from '../users/retention/retention.contract.ts';
import { schemaCheckEndpoints } from '../users/schema-check/schema-check.contract.ts';
import { userStatsEndpoints } from '../users/stats/stats.contract.ts';
import { userEndpoints } from '../users/users.contract.ts';
import { deliveryEndpoints } from '../webhooks/deliveries/deliveries.contract.ts';
import { webhookEndpoints } from '../webhooks/webhooks.contract.ts';
import { systemEndpoints } from './system.contract.ts';

/** All endpoints by name, in the order of the documentation. */
export const allEndpoints: readonly [name: string, spec: EndpointSpec][] = Object.entries({
  ...submissionEndpoints,
  ...challengeEndpoints,
  ...formEndpoints,
  ...userEndpoints,
  ...exportEndpoints,
  ...breakdownEndpoints,
  ...editingEndpoints,
  ...peopleEndpoints,
  ...retentionEndpoints,
  ...importEndpoints,
  ...userStatsEndpoints,
  ...schemaEndpoints,
  ...schemaCheckEndpoints,
  ...indexSlotEndpoints,
  ...sessionEndpoints,
  ...appEndpoints,
  ...apiKeyEndpoints,
  ...auditEndpoints,
  ...formSettingsEndpoints,
  ...mailStatusEndpoints,
  ...heldEndpoints,
  ...webhookEndpoints,
  ...deliveryEndpoints,
  ...formPageEndpoints,
  ...confirmationEndpoints,
  ...formDefinitionEndpoints,
  ...systemEndpoints,
});
