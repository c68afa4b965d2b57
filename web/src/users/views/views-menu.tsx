import { Button, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { SavedView } from '../../api/endpoints.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { ViewsIcon } from '../../components/icons.tsx';
import { loadLater } from '../../components/page/load-later.tsx';
import { t } from '../../texts/texts.ts';
import type { ChangeList, ListParameters } from '../list/list-parameters.ts';
import type { Scope } from '../scope.ts';
import { viewsQuery } from './queries.ts';
import { contentOf, markOf, openedView } from './view-content.ts';
import classes from './views.module.css';

const panel = loadLater(() => import('./views-panel.tsx').then(({ ViewsPanel }) => ViewsPanel));
const renaming = loadLater(() => import('./views-panel.tsx').then(({ RenameForm }) => RenameForm));

interface ViewsMenuProps {
  scope: Scope;
  parameters: ListParameters;
  /** The columns that the list shows. */
  columns: readonly string[];
  change: ChangeList;
}

/** The views of an app: shared ones, those of the reader, and links to the current one. */
export function ViewsMenu({ scope, parameters, columns, change }: ViewsMenuProps) {
  const [opened, setOpened] = useState(false);
  const [renamed, setRenamed] = useState<SavedView>();
  // The menu closes when something else is pressed. What was typed stays.
  const [newName, setNewName] = useState('');
  panel.usePreload();
  const { data, error } = useQuery({ ...viewsQuery(scope), enabled: opened || parameters.view !== '' });
  const views = data?.views ?? [];
  const { id: openedId, revision } = openedView(parameters);
  const current = views.find(({ id }) => id === openedId);
  const content = contentOf(parameters, columns);
  const onRename = (view: SavedView): void => {
    setOpened(false);
    setRenamed(view);
  };
  /** The list stays that of the view after a change of its name or its owner. */
  const follow = (before: SavedView, after: SavedView): void => {
    if (before.id === openedId && before.revision === revision) change({ view: markOf(after) });
  };
  return (
    <>
      <Popover opened={opened} onChange={setOpened} trapFocus returnFocus position="bottom-end" width={340}>
        <Popover.Target>
          <Button variant="default" maw={260} leftSection={<ViewsIcon size={16} />} onClick={() => setOpened(!opened)}>
            <span className={classes.opened}>
              {current ? t.users.views.current(current.name) : t.users.views.title}
            </span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t.users.views.title} className={classes.panel ?? ''}>
          <Suspense>
            <panel.Part
              {...{ scope, parameters, columns, views, error, current, content, newName, onRename }}
              onName={setNewName}
              onOpen={() => setOpened(false)}
              onChanged={follow}
              change={change}
            />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
      <Dialog opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={t.users.views.renameTitle}>
        {renamed && (
          <Suspense>
            <renaming.Part
              scope={scope}
              view={renamed}
              onRenamed={(after) => {
                follow(renamed, after);
                setRenamed(undefined);
              }}
              onCancel={() => setRenamed(undefined)}
            />
          </Suspense>
        )}
      </Dialog>
    </>
  );
}
