import { createContext, type ReactNode, useContext } from 'react';

/**
 * Who works on an app: a member by role, `shared` with the password of the app, or an admin.
 */
export type WorkRole = 'viewer' | 'editor' | 'manager' | 'shared' | 'admin';

/** What somebody may do in an app. What they may not do is not shown. */
export interface Abilities {
  /** Change and erase users, release and delete held submissions. */
  edit: boolean;
  export: boolean;
  import: boolean;
  webhooks: boolean;
  /** Form settings, retention, API keys and the audit log. */
  manage: boolean;
  /** Members and invitations, and whether the password of the app may log in. */
  members: boolean;
  schema: boolean;
}

const NOTHING: Abilities = {
  edit: false,
  export: false,
  import: false,
  webhooks: false,
  manage: false,
  members: false,
  schema: false,
};
const EDITING = { ...NOTHING, edit: true, export: true, import: true };
const ALL = { ...EDITING, webhooks: true, manage: true, members: true, schema: true };

/** The service decides in the same way (spec 4.10). */
export const ABILITIES: Record<WorkRole, Abilities> = {
  viewer: NOTHING,
  editor: EDITING,
  manager: ALL,
  shared: { ...ALL, members: false, schema: false },
  admin: ALL,
};

const AbilitiesContext = createContext<Abilities>(ALL);

export function WithAbilities({ role, children }: { role: WorkRole; children: ReactNode }) {
  return <AbilitiesContext.Provider value={ABILITIES[role]}>{children}</AbilitiesContext.Provider>;
}

/** What the reader may do in the app of the page. */
export const useAbilities = (): Abilities => useContext(AbilitiesContext);
