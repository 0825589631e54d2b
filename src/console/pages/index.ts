import type { PageName, PageState } from '../state.ts'

/** A page of the console as a whole HTML document, with its first state embedded. */
export function renderPage(page: PageName, state: PageState): string {
  const json = JSON.stringify(state, null, 1).replaceAll('<', '\\u003c')
  const text = JSON.stringify(state.data, null, 1).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const { code } = state.data
  const form =
    page === 'login' && typeof code === 'string'
      ? `<form method="post" action="/login"><input type="hidden" name="code" value="${code.replaceAll(/[^\w-]/g, '')}"><button>Open the console</button></form>`
      : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Opsbook: ${page}</title><h1>${page}</h1>${form}<pre>${text}</pre><script type="application/json" id="state">${json}</script></html>`
}
