import type { ForecastWindow } from "../forecast/window";
import type { ForecastOptions } from "./forecast";

export async function compareForecast(
	_options: ForecastOptions,
	_window: ForecastWindow,
	_signal: AbortSignal,
): Promise<void> {
	throw new Error("not yet");
}
