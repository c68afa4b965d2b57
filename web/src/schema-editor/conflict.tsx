import { Alert, Button, Group, Text } from '@mantine/core';
import { ChangeList } from './change-list.tsx';
import { schemaChanges } from './changes.ts';
import type { DraftState } from './draft-storage.ts';
import type { DraftEditor } from './use-draft.ts';

/**
 * Shown when someone else saved a version while this draft was edited. Shows their changes and lets
 * the administrator choose; saving is disabled until then.
 */
export function Conflict({ editor, newest }: { editor: DraftEditor; newest: DraftState['base'] }) {
  const { version } = newest.schema;
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      mb="md"
      title={`Someone else saved version ${version} while you were editing version ${editor.base.schema.version}`}
    >
      <Text size="sm" mb="xs">
        Their changes:
      </Text>
      <ChangeList changes={schemaChanges(editor.base.schema, newest.schema)} />
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={() => editor.rebase(newest)}>
          Keep my draft and compare it with version {version}
        </Button>
        <Button size="xs" variant="default" onClick={() => editor.reset(newest)}>
          Discard my draft and use version {version}
        </Button>
      </Group>
    </Alert>
  );
}
