import { useLayoutEffect, useState } from "preact/hooks";

/** A value that lives outside the components: `use` draws a component again after each `changed` that is one. */
export function followed<Value>(read: () => Value): { use(): Value; changed(): void } {
	const listeners = new Set<() => void>();
	return {
		use: () => {
			const [value, set] = useState(read);
			useLayoutEffect(() => {
				const look = () => set(read);
				// It may have changed between the drawing and now.
				look();
				listeners.add(look);
				return () => void listeners.delete(look);
			}, []);
			return value;
		},
		changed: () => {
			for (const listener of listeners) listener();
		},
	};
}
