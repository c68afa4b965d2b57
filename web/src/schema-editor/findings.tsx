import { Alert, Text } from '@mantine/core';
import type { ResponseBody } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';
import { findingsTitle } from './draft/findings-title.ts';

type Check = ResponseBody<'POST /auth/apps/:sourceAppId/schema/check'>;

/** How many stored records fail a schema: those that newly fail, and those that fail already. */
export function Findings(check: Check) {
  const { checked, failing, newlyFailing, examples, complete } = check;
  const already = failing - newlyFailing;
  if (checked === 0) return <Text>{t.schemaEditor.noRecords}</Text>;
  if (failing === 0) {
    return (
      <Alert color="green" p="xs">
        {complete ? matching(checked) : `${t.schemaEditor.newestMatch(checked)} ${t.schemaEditor.olderNotChecked}`}
      </Alert>
    );
  }
  return (
    <Alert color={newlyFailing === 0 ? 'green' : 'yellow'} title={findingsTitle(check)}>
      <Text mb="xs">
        {!complete && `${t.schemaEditor.olderNotChecked} `}
        {already > 0 && `${t.schemaEditor.alreadyFailing(already)} `}
        {t.schemaEditor.recordsStay}
      </Text>
      {examples.map(({ id, email, path, message }) => (
        <Text key={`${id} ${path}`} className="breaks">
          {email}: {path} {message}
        </Text>
      ))}
    </Alert>
  );
}

function matching(checked: number): string {
  return checked === 1 ? t.schemaEditor.onlyMatches : t.schemaEditor.allMatch(checked);
}
