import { condition } from '@temporalio/workflow'

/**
 * Calls back once nothing is left to do but to wait: conditions are looked at again only after everything that follows
 * at once has been done. Costs no timer, and nothing in the history.
 */
export function soon(callback: () => void): void {
  let isFirstLook = true
  void condition(() => {
    const isLater = !isFirstLook
    isFirstLook = false
    return isLater
  }).then(callback)
}
