import { randomUUID } from 'node:crypto';
import { type Route, routes } from '../../api/endpoint.ts';
import { NotFound } from '../../core/errors.ts';
import { formDefinition } from './form-definition.ts';
import type { FormPages } from './form-view.ts';
import { pageContext, prefilledEntries } from './page-context.ts';
import { formPageEndpoints } from './pages.contract.ts';
import type { FindForm } from './public-form.ts';

const UNKNOWN_FORM = { status: 404, message: 'No form has this address' };

/** The routes of `formPageEndpoints` (spec 4.5). */
export const formPageRoutes = (findForm: FindForm, pages: FormPages): Route[] =>
  routes(formPageEndpoints, {
    getFormPage: async ({ params, req }) => {
      const form = await findForm(params.sourceAppId);
      if (!form) return pages.refusal(UNKNOWN_FORM);
      return pages.form({ ...form, entries: prefilledEntries(form.fields, pageContext(req)), key: randomUUID() });
    },

    getThanksPage: async ({ params }) => {
      const form = await findForm(params.sourceAppId);
      return form ? pages.thanks(form) : pages.refusal(UNKNOWN_FORM);
    },

    getFormDefinition: async ({ params }) => {
      const form = await findForm(params.sourceAppId);
      if (!form) throw new NotFound('App not found');
      return formDefinition(form);
    },
  });
