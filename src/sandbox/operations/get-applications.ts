import type { GetApplicationsInput } from '../../api/operations/index.ts'
import { isVisibleTo } from '../applications.ts'
import type { Call, Runtime } from '../call.ts'
import type { Outcome } from '../outcome.ts'

/** E3: one record for each id that the caller may see, in the order of the ids; the others are left out. */
export function getApplications({ body, caller }: Call<GetApplicationsInput>, { world }: Runtime): Outcome {
  const items = [...new Set(body.application_ids)].flatMap((id) => {
    const application = world.applications.get(id)
    return application && isVisibleTo(caller, application) ? [application.record] : []
  })
  return { kind: 'data', data: { items } }
}
