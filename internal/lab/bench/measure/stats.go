package measure

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Median returns the median of values, without changing them, or NaN if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Interval is a range of plausible values.
type Interval struct{ Low, High float64 }

const (
	resamples  = 1000
	confidence = 0.95
)

// BootstrapMedian returns the 95 % percentile bootstrap interval of the median. The same values
// always give the same interval.
func BootstrapMedian(values []float64) Interval {
	if len(values) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	random := rand.New(rand.NewPCG(1, uint64(len(values))))
	medians, sample := make([]float64, resamples), make([]float64, len(values))
	for i := range medians {
		for k := range sample {
			sample[k] = values[random.IntN(len(values))]
		}
		medians[i] = Median(sample)
	}
	slices.Sort(medians)
	cut := int((1 - confidence) / 2 * resamples)
	return Interval{medians[cut], medians[resamples-1-cut]}
}

// Ratios returns the ratios of two series round by round, so that disturbances of both cancel
// out.
func Ratios(values, reference []float64) []float64 {
	n := min(len(values), len(reference))
	ratios := make([]float64, n)
	for i := range n {
		ratios[i] = values[i] / reference[i]
	}
	return ratios
}

// Differences returns the differences of two series round by round.
func Differences(values, reference []float64) []float64 {
	n := min(len(values), len(reference))
	more := make([]float64, n)
	for i := range n {
		more[i] = values[i] - reference[i]
	}
	return more
}

// Exponent returns the power with which y grows with x: the slope of the least-squares line
// through the logarithms.
func Exponent(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		lx, ly := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
