import { randomUUID } from 'node:crypto';
import { type Route, routes } from '../../api/endpoint.ts';
import { NotFound } from '../../core/errors.ts';
import { formDefinition } from './form-definition.ts';
import type { FormPages } from './form-view.ts';
import { pageContext, prefilledEntries } from './page-context.ts';
import { formDefinitionEndpoints, formPageEndpoints } from './pages.contract.ts';
import type { FindForm, PublicForm } from './public-form.ts';

/** The routes of the form pages and of the form as data (spec 4.5). */
export function formPageRoutes(findForm: FindForm, pages: FormPages): Route[] {
  async function formOf({ sourceAppId }: { sourceAppId: string }): Promise<PublicForm> {
    const form = await findForm(sourceAppId);
    if (!form) throw new NotFound('App not found');
    return form;
  }

  const ofPages = routes(
    formPageEndpoints,
    {
      getFormPage: async ({ params, req }) => {
        const form = await formOf(params);
        return pages.form({ ...form, entries: prefilledEntries(form.fields, pageContext(req)), key: randomUUID() });
      },
      getThanksPage: async ({ params }) => pages.thanks(await formOf(params)),
    },
    async ({ status, message }) => pages.refusal({ status, message }),
  );
  const ofDefinition = routes(formDefinitionEndpoints, {
    getFormDefinition: async ({ params }) => formDefinition(await formOf(params)),
  });
  return [...ofPages, ...ofDefinition];
}
