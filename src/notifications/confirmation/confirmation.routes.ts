import type { Request } from 'express';
import { type Route, routes } from '../../api/endpoint.ts';
import { AppNotFound } from '../../core/errors.ts';
import type { FindForm, PublicForm } from '../../submissions/pages/public-form.ts';
import { confirmationEndpoints } from './confirmation.contract.ts';
import type { ConfirmationService } from './confirmation.service.ts';
import type { ConfirmationPages } from './confirmation-pages.ts';

/** The pages behind the link of a confirmation email (spec 4.12). */
export function confirmationRoutes(
  confirmations: Pick<ConfirmationService, 'isConfirmed' | 'confirm'>,
  findForm: FindForm,
  pages: ConfirmationPages,
): Route[] {
  async function formOf(sourceAppId: string): Promise<PublicForm> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return form;
  }

  return routes(
    confirmationEndpoints,
    {
      getConfirmationPage: async ({ params: { sourceAppId, token } }) => {
        const isConfirmed = await confirmations.isConfirmed(sourceAppId, token);
        const form = await formOf(sourceAppId);
        return isConfirmed ? pages.confirmed(form) : pages.ask(form);
      },

      confirmEmail: async ({ params: { sourceAppId, token } }) => {
        await confirmations.confirm(sourceAppId, token);
        return pages.confirmed(await formOf(sourceAppId));
      },
    },
    async (error, req) => pages.refusal(error, await formIn(req, findForm)),
  );
}

/** The form that the path names, to link to it; undefined when it cannot be read. */
async function formIn({ appId }: Request, findForm: FindForm): Promise<PublicForm | undefined> {
  return appId === undefined ? undefined : findForm(appId).catch(() => undefined);
}
