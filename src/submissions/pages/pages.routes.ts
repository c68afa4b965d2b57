import { randomUUID } from 'node:crypto';
import { type Route, routes } from '../../api/endpoint.ts';
import { AppNotFound } from '../../core/errors.ts';
import { formDefinition } from './form-definition.ts';
import type { FormPages } from './form-view.ts';
import { pageContext, prefilledTexts } from './page-context.ts';
import { formDefinitionEndpoints, formPageEndpoints } from './pages.contract.ts';
import type { FindForm, PublicForm } from './public-form.ts';

/** The routes of the form pages and of the form as data (spec 4.5). */
export function formPageRoutes(findForm: FindForm, pages: FormPages): Route[] {
  async function formOf({ sourceAppId }: { sourceAppId: string }): Promise<PublicForm> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return form;
  }

  const ofPages = routes(
    formPageEndpoints,
    {
      getFormPage: async ({ principal, req }) => {
        const form = await formOf(principal);
        return pages.form({ ...form, prefilled: prefilledTexts(form.fields, pageContext(req)), key: randomUUID() });
      },
      getThanksPage: async ({ principal, req }) =>
        pages.thanks({ ...(await formOf(principal)), isHeld: req.query.held !== undefined }),
    },
    async ({ status, message }) => pages.refusal({ status, message }),
  );
  const ofDefinition = routes(formDefinitionEndpoints, {
    getFormDefinition: async ({ principal }) => formDefinition(await formOf(principal)),
  });
  return [...ofPages, ...ofDefinition];
}
