import { Alert, Button, Group, Text } from '@mantine/core';
import { ChangeList } from './change-list.tsx';
import { schemaChanges } from './changes.ts';
import type { Work } from './stored-work.ts';
import type { SchemaWork } from './use-work.ts';

/** Someone else stored a version while this draft was open. Which of the two counts is for the admin to say; nothing is overwritten before. */
export function Overtaken({ work, by }: { work: SchemaWork; by: Work['base'] }) {
  const { version } = by.schema;
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      mb="md"
      title={`Version ${version} was saved by someone else while you were editing version ${work.base.schema.version}`}
    >
      <Text size="sm" mb="xs">
        Their changes:
      </Text>
      <ChangeList changes={schemaChanges(work.base.schema, by.schema)} />
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={() => work.rebase(by)}>
          Keep my draft, compare it with version {version}
        </Button>
        <Button size="xs" variant="default" onClick={() => work.begin(by)}>
          Take version {version}, drop my draft
        </Button>
      </Group>
    </Alert>
  );
}
