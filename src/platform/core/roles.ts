import { z } from 'zod';
import { code } from '../languages/problems.ts';

/** The roles of a member of an app (spec 4.13), the lowest first. */
export const APP_ROLES = ['viewer', 'editor', 'manager'] as const;
export const AppRole = z.enum(APP_ROLES, code('notRole'));
export type AppRole = z.infer<typeof AppRole>;

/** Returns the role that allows more. */
export const higherRole = (a: AppRole, b: AppRole): AppRole => (APP_ROLES.indexOf(a) > APP_ROLES.indexOf(b) ? a : b);

/** Returns a role and those that allow less. */
export const rolesUpTo = (role: AppRole): AppRole[] => APP_ROLES.slice(0, APP_ROLES.indexOf(role) + 1);
