/** Does what a form asks for, once for each form: a second click gets the result of the first. */
export type Once<Result> = (form: unknown, act: () => Promise<Result>) => Promise<Result>

/** The oldest forms are forgotten first. */
const mostForms = 1000

/** A form without an id acts each time, and a refused one can be sent again. */
export function createOnce<Result>(): Once<Result> {
  const results = new Map<string, Promise<Result>>()
  return async (form, act) => {
    if (typeof form !== 'string' || !/^[\w-]{1,64}$/.test(form)) return act()
    const known = results.get(form)
    if (known !== undefined) return known
    const result = act()
    results.set(form, result)
    const [oldest] = results.keys()
    if (results.size > mostForms && oldest !== undefined) results.delete(oldest)
    result.catch(() => results.delete(form))
    return result
  }
}
