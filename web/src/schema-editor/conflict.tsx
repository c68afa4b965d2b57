import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../texts/texts.ts';
import type { DraftState } from './draft.ts';
import classes from './editor.module.css';
import { MergeDialog } from './merge-dialog.tsx';
import type { DraftEditor } from './use-draft.ts';

interface ConflictProps {
  sourceAppId: string;
  editor: DraftEditor;
  newest: DraftState['base'];
}

/** Someone else saved a version while this draft was edited. Saving is disabled until a merge. */
export function Conflict({ sourceAppId, editor, newest }: ConflictProps) {
  const [merging, setMerging] = useState(false);
  const { version } = newest.schema;
  return (
    <Alert color="yellow" role="alert" p="xs" className={classes.notice ?? ''}>
      <Group justify="space-between" gap="xs">
        <Text>{t.schemaEditor.otherVersionSaved(version, editor.base.schema.version)}</Text>
        <Button size="xs" variant="default" onClick={() => setMerging(true)}>
          {t.schemaEditor.merge}
        </Button>
      </Group>
      <MergeDialog
        sourceAppId={sourceAppId}
        editor={editor}
        newest={newest}
        opened={merging}
        onClose={() => setMerging(false)}
      />
    </Alert>
  );
}
