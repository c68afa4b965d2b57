import { Alert, Button, Checkbox, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { hasStatus } from '../../api/call.ts';
import type { SavedView } from '../../api/endpoints.ts';
import { CopyButton } from '../../components/content/copy-button.tsx';
import { ActionsMenu } from '../../components/form/actions-menu.tsx';
import { DialogForm, Form } from '../../components/form/form.tsx';
import { checkboxProps, inputProps } from '../../components/form/input.ts';
import { Problem } from '../../components/form/problem.tsx';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import { type ChangeList, type ListParameters, writeList } from '../list/list-parameters.ts';
import { type Scope, usersPath } from '../scope.ts';
import { useChangeView, useCreateView, useDeleteView } from './queries.ts';
import { isUnchanged, markOf, openedView, type ViewContent } from './view-content.ts';
import classes from './views.module.css';

const MAX_NAME = 60;

interface ViewsPanelProps {
  scope: Scope;
  parameters: ListParameters;
  columns: readonly string[];
  views: readonly SavedView[];
  error: Error | null;
  current: SavedView | undefined;
  content: ViewContent;
  /** The name of a view that is not saved yet. */
  newName: string;
  onName: (name: string) => void;
  onOpen: () => void;
  onRename: (view: SavedView) => void;
  onChanged: (before: SavedView, after: SavedView) => void;
  change: ChangeList;
}

/** The views of the menu, and what can be done with the current one. */
export function ViewsPanel(props: ViewsPanelProps) {
  const { scope, parameters, columns, views, error, current, content, onOpen, onRename, onChanged, change } = props;
  const list = { scope, current, onOpen, onRename, onChanged };
  return (
    <Stack gap="sm">
      <Problem error={error} />
      <ViewList {...list} title={t.users.views.shared} views={views.filter(({ shared }) => shared)} />
      <ViewList {...list} title={t.users.views.own} views={views.filter(({ shared }) => !shared)} />
      {current && !isUnchanged(current, content) && (
        <UpdateView
          scope={scope}
          view={current}
          opened={openedView(parameters).revision ?? current.revision}
          content={content}
          onSaved={(view) => change({ view: markOf(view) })}
        />
      )}
      <SaveForm
        scope={scope}
        content={content}
        name={props.newName}
        onName={props.onName}
        onSaved={(view) => change({ view: markOf(view) })}
      />
      <Text size="xs" c="dimmed">
        {t.users.views.note}
      </Text>
      <CopyButton text={linkOf(scope, parameters, columns, current, content)} label={t.users.views.copyLink} />
    </Stack>
  );
}

/** The link of a shared view names it; that of any other list has its parameters. */
function linkOf(
  scope: Scope,
  parameters: ListParameters,
  columns: readonly string[],
  current: SavedView | undefined,
  content: ViewContent,
): string {
  const isOfView = current?.shared === true && isUnchanged(current, content);
  const query = isOfView ? [['view', current.id]] : writeList({ ...parameters, columns, page: 1, view: '' });
  const path = `${import.meta.env.BASE_URL.replace(/\/$/, '')}${usersPath(scope)}`;
  return new URL(`${path}?${new URLSearchParams(query)}`, window.location.href).href;
}

interface ViewListProps {
  scope: Scope;
  title: string;
  views: readonly SavedView[];
  current: SavedView | undefined;
  onOpen: () => void;
  onRename: (view: SavedView) => void;
  onChanged: (before: SavedView, after: SavedView) => void;
}

function ViewList({ scope, title, views, current, onOpen, onRename, onChanged }: ViewListProps) {
  const { manage } = useAbilities();
  const change = useChangeView(scope);
  const remove = useDeleteView(scope);
  if (views.length === 0) return null;
  return (
    <div>
      <Text size="xs" fw={600} c="dimmed">
        {title}
      </Text>
      <ul className={classes.list} aria-label={title}>
        {views.map((view) => (
          <li key={view.id} className={classes.view}>
            <Link
              href={`${usersPath(scope)}?view=${view.id}`}
              className={classes.name ?? ''}
              aria-current={view.id === current?.id}
              onClick={onOpen}
            >
              {view.name}
            </Link>
            {(manage || !view.shared) && (
              <ActionsMenu name={view.name} isNested>
                <Menu.Item onClick={() => onRename(view)}>{t.users.views.rename}</Menu.Item>
                {manage && (
                  <Menu.Item
                    onClick={() =>
                      change.mutate(
                        { view, part: { shared: !view.shared } },
                        { onSuccess: (after) => onChanged(view, after) },
                      )
                    }
                  >
                    {view.shared ? t.users.views.keep : t.users.views.share}
                  </Menu.Item>
                )}
                <Menu.Item color="red.9" onClick={() => remove.mutate(view)}>
                  {t.common.delete}
                </Menu.Item>
              </ActionsMenu>
            )}
          </li>
        ))}
      </ul>
      <Problem error={change.error ?? remove.error} />
    </div>
  );
}

interface UpdateViewProps {
  scope: Scope;
  view: SavedView;
  /** The revision of the view when it was opened. */
  opened: string;
  content: ViewContent;
  onSaved: (view: SavedView) => void;
}

/** Saves the list in the place of the opened view. Asks first when somebody else changed it. */
function UpdateView({ scope, view, opened, content, onSaved }: UpdateViewProps) {
  const { manage } = useAbilities();
  const change = useChangeView(scope);
  if (view.shared && !manage) return null;
  const isOutdated = hasStatus(change.error, 412);
  const revision = isOutdated ? view.revision : opened;
  return (
    <div>
      {isOutdated ? (
        <Alert color="yellow" role="alert" title={t.users.views.outdated} mb="xs">
          {t.users.views.outdatedNote}
        </Alert>
      ) : (
        <Problem error={change.error} />
      )}
      <Button
        variant="light"
        fullWidth
        loading={change.isPending}
        onClick={() => change.mutate({ view: { ...view, revision }, part: content }, { onSuccess: onSaved })}
      >
        {isOutdated ? t.users.views.overwrite : t.users.views.update(view.name)}
      </Button>
    </div>
  );
}

interface SaveFormProps {
  scope: Scope;
  content: ViewContent;
  name: string;
  onName: (name: string) => void;
  onSaved: (view: SavedView) => void;
}

function SaveForm({ scope, content, name, onName, onSaved }: SaveFormProps) {
  const { manage } = useAbilities();
  const [isShared, setShared] = useState(false);
  const create = useCreateView(scope);
  const submit = (): void => {
    if (name.trim() === '') return;
    create.mutate(
      { ...content, name: name.trim(), shared: isShared },
      {
        onSuccess: (view) => {
          onName('');
          onSaved(view);
        },
      },
    );
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={t.users.views.saveAs}
            className={classes.input ?? ''}
            maxLength={MAX_NAME}
            autoComplete="off"
            {...inputProps(name, onName)}
          />
          <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
            {t.common.save}
          </Button>
        </Group>
        {manage && <Checkbox label={t.users.views.share} {...checkboxProps(isShared, setShared)} />}
        <Problem error={create.error} />
      </Stack>
    </Form>
  );
}

interface RenameFormProps {
  scope: Scope;
  view: SavedView;
  onRenamed: (view: SavedView) => void;
  onCancel: () => void;
}

export function RenameForm({ scope, view, onRenamed, onCancel }: RenameFormProps) {
  const [name, setName] = useState(view.name);
  const change = useChangeView(scope);
  return (
    <DialogForm
      action={t.users.views.rename}
      sending={change}
      disabled={name.trim() === ''}
      onSubmit={() => change.mutate({ view, part: { name: name.trim() } }, { onSuccess: onRenamed })}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        data-autofocus
        maxLength={MAX_NAME}
        autoComplete="off"
        {...inputProps(name, setName)}
      />
    </DialogForm>
  );
}
