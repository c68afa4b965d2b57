import type { EndpointSpec } from '../api/endpoint.ts';
import { apiKeyEndpoints } from '../api-keys/api-keys.endpoints.ts';
import { appEndpoints } from '../apps/apps.contract.ts';
import { formSettingsEndpoints } from '../apps/form-settings.endpoints.ts';
import { auditEndpoints } from '../audit/audit.endpoints.ts';
import { exportEndpoints } from '../exports/export.endpoints.ts';
import { importEndpoints } from '../imports/imports.contract.ts';
import { confirmationEndpoints } from '../notifications/confirmation.endpoints.ts';
import { mailStatusEndpoints } from '../notifications/mail-status.ts';
import { editingEndpoints } from '../people/editing.ts';
import { peopleEndpoints } from '../people/people.endpoints.ts';
import { retentionEndpoints } from '../people/retention.ts';
import { schemaEndpoints } from '../schemas/schemas.endpoints.ts';
import { breakdownEndpoints } from '../search/breakdown.endpoints.ts';
import { indexSlotEndpoints } from '../search/indexes.ts';
import { schemaCheckEndpoints } from '../search/schema-check.ts';
import { userStatsEndpoints } from '../search/statistics.ts';
import { userEndpoints } from '../search/users.endpoints.ts';
import { sessionEndpoints } from '../sessions/sessions.endpoints.ts';
import { challengeEndpoints } from '../submissions/challenges.endpoints.ts';
import { formEndpoints } from '../submissions/forms.endpoints.ts';
import { heldEndpoints } from '../submissions/held.ts';
import { formDefinitionEndpoints, formPageEndpoints } from '../submissions/pages/pages.endpoints.ts';
import { submissionEndpoints } from '../submissions/submissions.endpoints.ts';
import { deliveryEndpoints } from '../webhooks/deliveries.ts';
import { webhookEndpoints } from '../webhooks/webhooks.endpoints.ts';
import { systemEndpoints } from './system.ts';

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
