import { Command, Option } from 'commander';
import { CommandFailed } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { APP_ROLES, type AppRole } from '../../platform/core/roles.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { oneLine } from '../../platform/mail/content.ts';
import type { Services } from '../../services.ts';
import { COMMAND_LINE, note, type Streams, say, type Tool } from './command.ts';

const ACCOUNTS_AT_ONCE = 500;

/** The commands `account invite|link|list|suspend` (spec 4.13). */
export function accountCommands({ withServices, streams }: Tool): Command {
  const account = new Command('account').description('invite people, let them in again, and suspend them');

  account
    .command('invite')
    .description('invite somebody; prints a link that works once, for 7 days')
    .argument('<email>', 'the email of the person')
    .option('--admin', 'to all apps, as an admin')
    .option('--app <id>', 'to one app')
    .addOption(new Option('--role <role>', 'what the member of the app may do').choices(APP_ROLES))
    .action((text: string, options: { admin?: true; app?: string; role?: AppRole }) =>
      withServices(async (services) => {
        const { accounts, audit } = services;
        const offer = await findOffer(services, options);
        const { token, invitation } = await accounts.invitations.create({ email: parseEmail(text), ...offer });
        const role = options.admin ? 'admin' : options.role;
        const target = invitation.id;
        await audit.record({
          action: 'invitation.created',
          actor: COMMAND_LINE,
          app: offer.app ?? null,
          target,
          ...(role && { detail: { role } }),
        });
        printLink(streams, services, 'invitation', token, 'It works once, for 7 days.');
      }),
    );

  account
    .command('link')
    .description('print a link that logs somebody in once, for 15 minutes, without password and second factor')
    .argument('<email>', 'the email of the account')
    .action((email: string) =>
      withServices(async (services) => {
        const { accounts, audit, clock } = services;
        const token = await accounts.service.createLink(email, clock.within(READ_HOLDS_MS));
        const target = (await accounts.store.findByEmail(email))?._id.toHexString();
        await audit.record({ action: 'account.link.created', actor: COMMAND_LINE, app: null, target });
        printLink(streams, services, 'link', token, 'It works once, for 15 minutes.');
      }),
    );

  account
    .command('list')
    .description('list all accounts: email, name, admin or member, state, separated by tabs')
    .action(() =>
      withServices(async ({ accounts: { store, roles } }) => {
        const isAdmin = await roles.findAdmins();
        let after: string | undefined;
        do {
          const page = await store.page('', after, ACCOUNTS_AT_ONCE);
          for (const account of page) {
            const { email, name, suspendedAt } = account;
            const role = isAdmin(account) ? 'admin' : 'member';
            say(streams, [email, oneLine(name, name.length), role, suspendedAt ? 'suspended' : 'active'].join('\t'));
          }
          after = page.length === ACCOUNTS_AT_ONCE ? page.at(-1)?.email : undefined;
        } while (after !== undefined);
      }),
    );

  account
    .command('suspend')
    .description('suspend an account; its sessions end at once')
    .argument('<email>', 'the email of the account')
    .action((email: string) =>
      withServices(async ({ accounts, audit, clock }) => {
        const found = await accounts.store.findByEmail(parseEmail(email));
        if (!found) throw new CommandFailed('No account has this email');
        await accounts.status.suspend(found._id, clock.within(READ_HOLDS_MS));
        const event = { action: 'account.changed', actor: COMMAND_LINE, app: null } as const;
        await audit.record({ ...event, target: found._id.toHexString(), detail: { suspended: true } });
        say(streams, `Suspended ${found.email}`);
      }),
    );

  return account;
}

function parseEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === undefined) throw new CommandFailed('The email is not valid');
  return email;
}

async function findOffer({ apps }: Services, { admin, app, role }: { admin?: true; app?: string; role?: AppRole }) {
  if ((admin !== undefined) === (app !== undefined)) throw new CommandFailed('Use either --admin or --app');
  if (admin) return { admin, app: undefined };
  if (app === undefined || role === undefined) throw new CommandFailed('--app needs --role');
  const { id, sourceAppId } = await apps.get(app);
  return { app: { id, sourceAppId, role } };
}

function printLink(streams: Streams, { publicUrl }: Services, page: string, token: string, hint: string): void {
  say(streams, `${publicUrl ?? ''}/dashboard/${page}#${token}`);
  const origin = publicUrl === undefined ? ' Put the address of the service before it, or set PUBLIC_URL.' : '';
  note(streams, `${hint}${origin}`);
}
