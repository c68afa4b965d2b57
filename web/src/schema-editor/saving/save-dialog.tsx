import { Alert, Button, Group, Loader, Modal, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, hasStatus, issuesText } from '../../api/call.ts';
import { appSchemaQuery } from '../../apps/queries.ts';
import { type Renaming, useRenaming, workQuery } from '../../background-work/queries.ts';
import { WorkStatus } from '../../background-work/work-status.tsx';
import { fieldName } from '../../components/form/labels.ts';
import { LoadError } from '../../components/page/load-error.tsx';
import { namesOf } from '../../connect/settings/save-bar.tsx';
import type { SettingsEditor } from '../../connect/settings/use-settings.ts';
import { t } from '../../texts/texts.ts';
import { chooseData, type FieldRename } from '../draft/field-renames.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import { Findings } from '../findings.tsx';
import { ChangeList } from './change-list.tsx';
import classes from './merge-dialog.module.css';

interface SaveDialogProps {
  sourceAppId: string;
  editor: DraftEditor;
  /** Saved with the fields. */
  settings: SettingsEditor;
  opened: boolean;
  onClose: () => void;
}

/** Shows the changes of the draft and their effect on stored records before it is saved. */
export function SaveDialog({ sourceAppId, editor, settings, opened, onClose }: SaveDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={t.schemaEditor.saveVersion(editor.base.schema.version + 1)}
    >
      <Review sourceAppId={sourceAppId} editor={editor} settings={settings} onClose={onClose} />
    </Modal>
  );
}

function Review({ sourceAppId, editor, settings, onClose }: Omit<SaveDialogProps, 'opened'>) {
  const check = useQuery({
    queryKey: ['schema-check', sourceAppId, editor.replacement],
    queryFn: ({ signal }) =>
      call('POST /auth/apps/:sourceAppId/schema/check', {
        params: { sourceAppId },
        body: editor.replacement,
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
  });
  const save = useSave(sourceAppId, editor, onClose);
  const isWaiting = mustWait(editor, useRenaming({ sourceAppId, asAdmin: true }));
  return (
    <Stack>
      <ChangeList changes={editor.changes} hasRecords={check.data !== undefined && check.data.checked > 0} />
      {settings.changed.length > 0 && <Text>{t.schemaEditor.savedToo(namesOf(settings.changed))}</Text>}
      {editor.renames.map((rename) => (
        <RenameChoice
          key={rename.id}
          rename={rename}
          onChoose={(keepsData) => editor.edit((draft) => chooseData(draft, rename.id, keepsData))}
        />
      ))}
      {check.isPending && (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text>{t.schemaEditor.checking}</Text>
        </Group>
      )}
      {check.error && <LoadError error={check.error} onRetry={check.refetch} />}
      {check.data && <Findings {...check.data} />}
      {isWaiting && (
        <Alert color="yellow" role="status" title={t.schemaEditor.mustWait}>
          <Text mb="xs">{t.schemaEditor.mustWaitNote}</Text>
          <WorkStatus sourceAppId={sourceAppId} asAdmin fields={editor.base.schema.fields} />
        </Alert>
      )}
      {save.error && !isConflict(save.error) && !(isWaiting && isMoving(save.error)) && (
        <Alert color="red" role="alert" title={t.schemaEditor.notSaved}>
          {save.error.message}. {issuesText(save.error, (path) => placeOf(path, editor.replacement.fields))}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t.schemaEditor.keepEditing}
        </Button>
        <Button
          loading={save.isPending}
          disabled={check.isPending || isWaiting}
          onClick={() => {
            if (settings.changed.length > 0) settings.save();
            save.mutate(editor.draft);
          }}
        >
          {t.schemaEditor.saveVersion(editor.base.schema.version + 1)}
        </Button>
      </Group>
    </Stack>
  );
}

function useSave(sourceAppId: string, editor: DraftEditor, onClose: () => void) {
  const client = useQueryClient();
  const schema = appSchemaQuery(sourceAppId);
  return useMutation({
    mutationFn: (_sent: DraftEditor['draft']) =>
      call('PUT /auth/apps/:sourceAppId/schema', {
        params: { sourceAppId },
        body: editor.replacement,
        headers: { 'If-Match': editor.base.etag },
      }),
    onSuccess: async ({ version }, sent) => {
      // A draft that was edited since is kept: the editor then offers to merge it.
      editor.reset(await client.fetchQuery({ ...schema, staleTime: 0 }), sent);
      notifications.show({ title: t.schemaEditor.saved(version), message: t.schemaEditor.savedNote });
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: ['schema'] }),
        client.invalidateQueries({ queryKey: [...schema.queryKey, 'versions'] }),
        client.invalidateQueries({ queryKey: workQuery(sourceAppId).queryKey }),
      ]);
    },
    onError: async (error) => {
      // Refused while values are being moved: the dialog shows the progress.
      if (isMoving(error)) await client.invalidateQueries({ queryKey: workQuery(sourceAppId).queryKey });
      if (!isConflict(error)) return;
      // The refreshed schema makes the page show the conflict.
      await client.fetchQuery({ ...schema, staleTime: 0 });
      onClose();
    },
  });
}

const isConflict = (error: Error): boolean => hasStatus(error, 412);

/** Names the field of a path such as `fields.0.max`, with what the path says of it. */
function placeOf(path: string, fields: DraftEditor['replacement']['fields']): string {
  const [list, index, ...parts] = path.split('.');
  const field = list === 'fields' ? fields[Number(index)] : undefined;
  return field ? [t.schemaEditor.quoted(fieldName(field)), ...parts].join(' ') : path;
}

/** The only 409 of a replacement (spec 4.4). */
const isMoving = (error: Error): boolean => hasStatus(error, 409);

/** Whether the service refuses the draft while values are being moved (spec 4.4). */
function mustWait({ replacement }: Pick<DraftEditor, 'replacement'>, renaming: readonly Renaming[]): boolean {
  if (renaming.length === 0) return false;
  const old = new Set(renaming.map(({ from }) => from));
  return replacement.renames !== undefined || replacement.fields.some(({ key }) => old.has(key));
}

interface RenameChoiceProps {
  rename: FieldRename;
  onChoose: (keepsData: boolean) => void;
}

/** Asks for the new place of the stored values of a renamed field. */
function RenameChoice({ rename: { from, to, keepsData }, onChoose }: RenameChoiceProps) {
  return (
    <Radio.Group
      className={classes.row ?? ''}
      label={t.schemaEditor.valuesOf(from)}
      value={keepsData ? 'keep' : 'empty'}
      onChange={(value) => onChoose(value === 'keep')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="keep" label={t.schemaEditor.keepData} description={t.schemaEditor.keepDataNote(to)} />
        <Radio value="empty" label={t.schemaEditor.startEmpty} description={t.schemaEditor.startEmptyNote(from)} />
      </Stack>
    </Radio.Group>
  );
}
