import { Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { appSchemaQuery } from '../../apps/queries.ts';
import code from '../../components/content/code-panel.module.css';
import { CopyButton } from '../../components/content/copy-button.tsx';
import { type DraftState, draftOf, schemaDrafts, withDefinitions } from '../../schema-editor/draft/draft.ts';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import { appPath } from '../../users/scope.ts';
import type { ConnectedApp } from '../queries.ts';
import type { ImportedField } from './proposal.ts';

/** Adds the new fields to the schema: in the editor, or for operators as a text to send. */
export function TakeOver({ app, fields }: { app: ConnectedApp; fields: readonly ImportedField[] }) {
  const { schema } = useAbilities();
  const added = fields.filter(({ state }) => state === 'new').map(({ definition }) => definition);
  if (added.length === 0) {
    return <Text c="dimmed">{t.connect.import.schemaHasAll}</Text>;
  }
  return schema ? <IntoEditor app={app} added={added} /> : <ForAdmin app={app} added={added} />;
}

interface AddedProps {
  app: ConnectedApp;
  added: ImportedField['definition'][];
}

function IntoEditor({ app: { sourceAppId }, added }: AddedProps) {
  const [, navigate] = useLocation();
  const { data: newest } = useQuery(appSchemaQuery(sourceAppId));
  const takeOver = (base: DraftState['base']): void => {
    // A draft of the editor is kept, with the fields added to it.
    const before = schemaDrafts.load(sourceAppId) ?? { base, draft: draftOf(base.schema) };
    const known = before.draft.fields.map(({ definition }) => definition as unknown as ImportedField['definition']);
    const missing = added.filter(({ key }) => !known.some((field) => field.key === key));
    const schema = { rejectUnknown: before.draft.rejectUnknown, fields: [...known, ...missing] };
    schemaDrafts.store(sourceAppId, { base: before.base, draft: withDefinitions(before.draft, schema) });
    navigate(appPath({ sourceAppId }, 'form'));
  };
  return (
    <Group gap="sm">
      <Button disabled={!newest} onClick={() => newest && takeOver(newest)}>
        {t.connect.import.addToDraft(added.length)}
      </Button>
      <Text c="dimmed">{t.connect.import.addToDraftNote}</Text>
    </Group>
  );
}

function ForAdmin({ app: { sourceAppId, schema }, added }: AddedProps) {
  const { rejectUnknown, fields } = schema;
  const text = JSON.stringify({ rejectUnknown, fields: [...fields, ...added] }, null, 2);
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text maw={560}>{t.connect.import.adminAdds(added.length, sourceAppId)}</Text>
        <CopyButton text={text} />
      </Group>
      <Code block tabIndex={0} mah={320} className={code.code ?? ''} aria-label={t.connect.import.schemaAsJson}>
        {text}
      </Code>
    </div>
  );
}
